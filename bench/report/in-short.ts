import { goalShown, isMet, type Section, shown } from './measure.ts';

/** The figures that say most, one row each: for a reader who reads nothing else. The first row is the heading; none where there are none. */
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
  return rows.length === 0 ? [] : [['question', 'Plancast', 'beside', 'goal', 'met'], ...rows];
}
