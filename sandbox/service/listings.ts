import type { PracticeData } from './data.ts';
import { mayRead } from './permissions.ts';
import { json, type Reply } from './reply.ts';
import { hyphenated, nineDigits } from './resources.ts';
import type { Grant } from './tokens.ts';

/**
 * GET {base_url}/projects, /projects/{id}/items, /sessions, /sessions/{id}/documents, if switched on. The interface says that such
 * endpoints exist but shows neither path nor shape: these are our own.
 * @returns undefined if there is nothing at this path
 */
export function listing(path: string, caller: Grant, data: PracticeData): Reply | undefined {
  const [, kind, id, inner] = /^\/(projects|sessions)(?:\/([\d-]+)\/(items|documents))?$/.exec(path) ?? [];
  if (kind === undefined) return;
  if (id === undefined) {
    const things = kind === 'projects' ? data.projects : data.sessions;
    const readable = [...things.values()].filter((thing) => mayRead(caller.user, thing));
    return page(readable.map((thing) => ({ Id: hyphenated(thing.id), Name: thing.name })));
  }
  const within = (kind === 'projects' ? data.projects : data.sessions).get(nineDigits(id) ?? '');
  if (!within || !mayRead(caller.user, within)) return;
  if ('items' in within && inner === 'items') {
    const items = [...within.items.values()];
    return page(items.map((item) => ({ Id: item.id, Name: item.name, ItemType: item.kind })));
  }
  if ('documents' in within && inner === 'documents') {
    return page([...within.documents.values()].map((one) => ({ Id: one.id, Name: one.name })));
  }
  return;
}

function page(things: readonly object[]): Reply {
  return json(200, { $id: '1', Items: things, TotalCount: things.length });
}
