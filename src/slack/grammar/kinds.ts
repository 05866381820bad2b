import type { TargetKind } from '../../core/model/subscription.ts';

export type Holder = 'project' | 'session';
export type KindGrammar = {
  readonly word: TargetKind;
  /** Synonyms, for suggestions. */
  readonly alike: readonly string[];
  /** Whose id follows the word. */
  readonly holder: Holder;
  /** The placeholder for the second id in help; null if the kind has only one. */
  readonly item: 'ITEM' | 'DOCUMENT' | null;
  readonly example: string;
  readonly description: string;
};

/** What a channel can subscribe to. Both the parser and help are built from this table. */
export const kinds: readonly KindGrammar[] = [
  {
    word: 'project',
    alike: ['proj', 'prj', 'job'],
    holder: 'project',
    item: null,
    example: 'project 123-456-789',
    description: 'A project and its contents.',
  },
  {
    word: 'folder',
    alike: ['dir', 'directory', 'subfolder'],
    holder: 'project',
    item: 'ITEM',
    example: 'folder 123-456-789 F100',
    description: 'A folder and its contents.',
  },
  {
    word: 'file',
    alike: ['item', 'drawing', 'sheet', 'pdf'],
    holder: 'project',
    item: 'ITEM',
    example: 'file 123-456-789 F200',
    description: 'One file of a project.',
  },
  {
    word: 'session',
    alike: ['meeting', 'review'],
    holder: 'session',
    item: null,
    example: 'session 123-456-789',
    description: 'A session and its documents.',
  },
  {
    word: 'document',
    alike: ['doc', 'docs'],
    holder: 'session',
    item: 'DOCUMENT',
    example: 'document 123-456-789 D300',
    description: 'One document of a session.',
  },
];

/** Returns how a kind is typed, for help. */
export function kindUsage(kind: KindGrammar): string {
  return kind.item === null ? `${kind.word} 123-456-789` : `${kind.word} 123-456-789 ${kind.item}`;
}
