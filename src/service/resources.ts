import { readNineDigits } from '../core/model/typed-text.ts';

/** The parts of a `Resource` path of the service. Project and session ids are in canonical form, whatever the service wrote. */
type ResourcePlace = {
  readonly type: 'Projects' | 'ProjectItems' | 'Sessions' | 'SessionDocuments' | null;
  /** The workspace at the service. No request names it, so we learn it from the path. */
  readonly primeId: string | null;
  readonly projectId: string | null;
  readonly sessionId: string | null;
  /** The id of the project item or session document. */
  readonly itemId: string | null;
};

/** Maximum length of an item or document id. The service interface does not document their format. */
const longestOpaqueId = 200;

/** Whether a text can be the id of an item or document. Their format is not documented, so this rejects only what no id can contain. */
export function isOpaqueId(text: string): boolean {
  return text.trim() !== '' && text.length <= longestOpaqueId && !/[/\p{Cc}\p{Cs}]/u.test(text);
}

/** Parses a `Resource` path, with or without outer slashes, host and version segment before `/Primes`. Missing parts are null. */
export function readResource(path: string): ResourcePlace {
  const ids = idsByName(segmentsOf(path));
  const inProject = ids.get('projects');
  const inSession = ids.get('sessions');
  const item = opaque(ids.get('projectitems'));
  const document = opaque(ids.get('sessiondocuments'));
  return {
    type: typeOf({ inProject, inSession, item, document }),
    primeId: opaque(ids.get('primes')),
    projectId: inProject === undefined ? null : readNineDigits(inProject),
    sessionId: inSession === undefined ? null : readNineDigits(inSession),
    itemId: item ?? document,
  };
}

/** Hyphenates the project or session id in a `Resource` path, so that a resource has only one spelling. */
export function normalizeResource(path: string): string {
  return path.replace(
    /(?<=(?:^|\/)(?:Projects|Sessions)\/)([0-9][0-9 -]{7,20}[0-9])(?=\/|$)/gi,
    (id) => readNineDigits(id) ?? id,
  );
}

/** Returns the last id of an `IdPath` (ids from the root folder down to the item), or null. */
export function lastIdOf(idPath: string): string | null {
  return opaque(segmentsOf(idPath).at(-1));
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

const resourceNames = ['primes', 'projects', 'projectitems', 'sessions', 'sessiondocuments'];

/** Reads ids by name: from the first known name on, segments are pairs, so that an id that looks like a name is still an id. */
function idsByName(segments: readonly string[]): Map<string, string> {
  const ids = new Map<string, string>();
  const start = segments.findIndex((segment) => resourceNames.includes(segment.toLowerCase()));
  if (start === -1) return ids;
  for (let at = start; at + 1 < segments.length; at += 2) {
    ids.set((segments[at] ?? '').toLowerCase(), segments[at + 1] ?? '');
  }
  return ids;
}

function opaque(id: string | undefined): string | null {
  return id !== undefined && isOpaqueId(id) ? id : null;
}

function typeOf(found: {
  inProject: string | undefined;
  inSession: string | undefined;
  item: string | null;
  document: string | null;
}): ResourcePlace['type'] {
  if (found.item !== null) return 'ProjectItems';
  if (found.document !== null) return 'SessionDocuments';
  if (found.inProject !== undefined) return 'Projects';
  return found.inSession === undefined ? null : 'Sessions';
}
