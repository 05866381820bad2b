import { goalShown, isMet, type Section, shown } from './measure.ts';

/**
 * Returns the main results, one row each, for readers who read nothing else. The first row is the heading; without results there are no
 * rows.
 */
export function inShort(sections: readonly Section[]): string[][] {
  const rows = sections.flatMap(({ measures }) =>
    measures.flatMap((measure) => {
      if (measure.inShort === undefined) return [];
      const met = isMet(measure);
      const answer = shown(measure.value, measure.unit);
      return [
        [
          measure.inShort,
          answer,
          measure.beside ?? '',
          goalShown(measure),
          met === null ? '' : met ? 'yes' : 'NO',
        ],
      ];
    }),
  );
  return rows.length === 0 ? [] : [['question', 'Plancast', 'for comparison', 'goal', 'met'], ...rows];
}
