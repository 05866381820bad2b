import type { Subject } from './changes.ts';
import { PracticeError } from './practice-error.ts';
import { nineDigits } from './resources.ts';
import type { Permission, Seed, SeedItem } from './seed.ts';

export type Prime = { readonly id: number; readonly name: string };
export type User = { readonly email: string; readonly name: string; readonly primeId: number };
export type Item = {
  readonly id: string;
  readonly kind: 'File' | 'Folder';
  name: string;
  /** null: this is the project's root folder. */
  parentId: string | null;
  version: number;
};
export type Project = {
  /** 9 digits, no hyphens. */
  readonly id: string;
  readonly primeId: number;
  readonly rootId: string;
  name: string;
  readonly items: Map<string, Item>;
  readonly members: Map<string, Permission>;
};
export type SessionDocument = { readonly id: string; readonly name: string };
export type Session = {
  readonly id: string;
  readonly primeId: number;
  name: string;
  expires: Date;
  status: 'Active' | 'Finalizing';
  readonly documents: Map<string, SessionDocument>;
  readonly members: Map<string, Permission>;
};

/** Everything people keep at the service. References are an id (with or without hyphens) or a name. */
export type PracticeData = {
  readonly primes: ReadonlyMap<number, Prime>;
  readonly users: ReadonlyMap<string, User>;
  /** The address of whom the sign-in page selects at first; by default, the first user. */
  expected?: string | undefined;
  readonly projects: Map<string, Project>;
  readonly sessions: Map<string, Session>;
  /** Each of these throws PracticeError (`unknown`) if there is no match. */
  user(email: string): User;
  project(ref: string): Project;
  session(ref: string): Session;
  /** By id, or by names below the root folder: `Plans/Level 1`. Default: the root folder. */
  item(project: Project, ref?: string | undefined): Item;
  document(session: Session, ref: string): SessionDocument;
  newProject(wanted: { name: string; id?: string | undefined; primeId: number }): Project;
  newSession(wanted: { name: string; id?: string | undefined; primeId: number; expires: Date }): Session;
  newItem(
    project: Project,
    wanted: { kind: Item['kind']; name: string; parentId: string; id?: string | undefined },
  ): Item;
  newDocument(session: Session, wanted: { name: string; id?: string | undefined }): SessionDocument;
  children(project: Project, item: Item): Item[];
};

const DAY_MS = 86_400_000;
const ROOT_NAME = 'Root';

type Deps = {
  seed: Seed;
  now: Date;
  /** Returns a new id for an item or document. */
  itemId: () => string;
};

/** Creates the data of one service from the seed. */
export function makeData({ seed, now, itemId }: Deps): PracticeData {
  const projects = new Map<string, Project>();
  const sessions = new Map<string, Session>();
  const data: PracticeData = {
    primes: new Map(seed.primes.map((prime) => [prime.id, prime])),
    users: new Map(seed.users.map((user) => [user.email, user])),
    projects,
    sessions,
    user: (email) => found(data.users.get(email), `There is no user ${email}.`),
    project: (ref) => found(byIdOrName(projects, ref), `There is no project "${ref}".`),
    session: (ref) => found(byIdOrName(sessions, ref), `There is no session "${ref}".`),
    item: (project, ref) => found(findItem(project, ref), `"${project.name}" holds no item "${ref}".`),
    document: (session, ref) =>
      found(
        session.documents.get(ref) ?? [...session.documents.values()].find(({ name }) => name === ref),
        `"${session.name}" holds no document "${ref}".`,
      ),
    newProject({ name, id, primeId }) {
      const rootId = itemId();
      const root: Item = { id: rootId, kind: 'Folder', name: ROOT_NAME, parentId: null, version: 1 };
      const items = new Map([[rootId, root]]);
      const project: Project = { id: freshId(id), primeId, rootId, name, items, members: new Map() };
      projects.set(project.id, project);
      return project;
    },
    newSession({ name, id, primeId, expires }) {
      const session: Session = {
        id: freshId(id),
        primeId,
        name,
        expires,
        status: 'Active',
        documents: new Map(),
        members: new Map(),
      };
      sessions.set(session.id, session);
      return session;
    },
    newItem(project, { kind, name, parentId, id = itemId() }) {
      if (project.items.has(id)) throw new PracticeError('invalid', `The id ${id} is taken.`);
      const item: Item = { id, kind, name, parentId, version: 1 };
      project.items.set(id, item);
      return item;
    },
    newDocument(session, { name, id = itemId() }) {
      if (session.documents.has(id)) throw new PracticeError('invalid', `The id ${id} is taken.`);
      const document: SessionDocument = { id, name };
      session.documents.set(id, document);
      return document;
    },
    children: childrenOf,
  };

  let next = 300_118_427;
  function freshId(wanted: string | undefined): string {
    if (wanted === undefined) {
      next += 4_019;
      return String(next);
    }
    const id = nineDigits(wanted);
    if (!id) throw new PracticeError('invalid', `"${wanted}" is not an id of 9 digits.`);
    if (projects.has(id) || sessions.has(id)) throw new PracticeError('invalid', `${wanted} is taken.`);
    return id;
  }

  fill(data, seed, now);
  return data;
}

/** Returns the subject of a change to this project. */
export function projectSubject(project: Project): Subject {
  return { place: { kind: 'project', primeId: project.primeId, projectId: project.id }, name: project.name };
}

/** Returns the subject of a change to this item, with its current path. */
export function itemSubject(project: Project, item: Item): Subject {
  const ids: string[] = [];
  const names: string[] = [];
  for (let one: Item | undefined = item; one; one = project.items.get(one.parentId ?? '')) {
    ids.unshift(one.id);
    names.unshift(one.name);
  }
  return {
    place: { kind: 'item', primeId: project.primeId, projectId: project.id, itemId: item.id },
    name: item.name,
    item: { kind: item.kind, ids, names },
  };
}

/** Returns the subject of a change to this session. */
export function sessionSubject(session: Session): Subject {
  return { place: { kind: 'session', primeId: session.primeId, sessionId: session.id }, name: session.name };
}

/** Returns the subject of a change to this document. */
export function documentSubject(session: Session, document: SessionDocument): Subject {
  return {
    place: {
      kind: 'document',
      primeId: session.primeId,
      sessionId: session.id,
      documentId: document.id,
    },
    name: document.name,
  };
}

function fill(data: PracticeData, seed: Seed, now: Date): void {
  for (const { members, holds, ...wanted } of seed.projects) {
    const project = data.newProject(wanted);
    for (const [email, permission] of Object.entries(members)) project.members.set(email, permission);
    plant({ data, project }, project.rootId, holds);
  }
  for (const { members, documents, days, ...wanted } of seed.sessions) {
    const session = data.newSession({ ...wanted, expires: new Date(now.getTime() + days * DAY_MS) });
    for (const [email, permission] of Object.entries(members)) session.members.set(email, permission);
    for (const document of documents) data.newDocument(session, document);
  }
}

function plant(
  at: { data: PracticeData; project: Project },
  parentId: string,
  holds: readonly SeedItem[],
): void {
  for (const { name, id, holds: inner } of holds) {
    const item = at.data.newItem(at.project, { kind: inner ? 'Folder' : 'File', name, parentId, id });
    if (inner) plant(at, item.id, inner);
  }
}

function found<T>(thing: T | undefined, message: string): T {
  if (thing === undefined) throw new PracticeError('unknown', message);
  return thing;
}

function byIdOrName<T extends { name: string }>(things: Map<string, T>, ref: string): T | undefined {
  return things.get(nineDigits(ref) ?? ref) ?? [...things.values()].find(({ name }) => name === ref);
}

function childrenOf(project: Project, item: Item): Item[] {
  return [...project.items.values()].filter(({ parentId }) => parentId === item.id);
}

function findItem(project: Project, ref = ''): Item | undefined {
  const root = project.items.get(project.rootId);
  if (ref === '') return root;
  const byId = project.items.get(ref);
  if (byId) return byId;
  let here = root;
  for (const name of ref.split('/')) {
    here = here && childrenOf(project, here).find((child) => child.name === name);
  }
  return here;
}
