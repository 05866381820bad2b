import type { ChangeVerb } from '../../core/model/change.ts';

/** The sign before each verb, and the word that stands for it where signs are not seen. */
export const signs: Readonly<Record<ChangeVerb, { readonly sign: string; readonly word: string }>> = {
  added: { sign: '➕', word: 'Added' },
  renamed: { sign: '✏️', word: 'Renamed' },
  moved: { sign: '📂', word: 'Moved' },
  'renamed and moved': { sign: '📂', word: 'Renamed and moved' },
  'new version': { sign: '🔁', word: 'New version' },
  'session changed': { sign: '⏳', word: 'Expiry or status' },
  updated: { sign: '📝', word: 'Changed' },
  deleted: { sign: '🗑️', word: 'Deleted' },
  other: { sign: '🔔', word: 'Reported' },
};
