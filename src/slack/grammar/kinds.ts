import type { TargetKind } from '../../core/model/subscription.ts';

export type Holder = 'project' | 'session';
export type KindGrammar = {
  readonly word: TargetKind;
  /** Whose id follows the word. */
  readonly holder: Holder;
  /** The placeholder for the second id in help; null if the kind has only one. */
  readonly item: 'ITEM' | 'DOCUMENT' | null;
  readonly description: string;
};

/** What a channel can subscribe to. Both the reader and help are built from this table. */
export const kinds: readonly KindGrammar[] = [
  { word: 'project', holder: 'project', item: null, description: 'A project and its contents.' },
  { word: 'folder', holder: 'project', item: 'ITEM', description: 'A folder and its contents.' },
  {
    word: 'file',
    holder: 'project',
    item: 'ITEM',
    description: 'One file of a project and its new versions.',
  },
  { word: 'session', holder: 'session', item: null, description: 'A session and its documents.' },
  { word: 'document', holder: 'session', item: 'DOCUMENT', description: 'One document of a session.' },
];

/** Returns how a kind is typed, for help. */
export function kindUsage(kind: KindGrammar): string {
  return kind.item === null ? `${kind.word} 123-456-789` : `${kind.word} 123-456-789 ${kind.item}`;
}
