import type { Acted, ActionOf } from './actions.ts';
import type { Cause, Change } from './changes.ts';
import {
  documentSubject,
  type PracticeData,
  type Session,
  type SessionDocument,
  sessionSubject,
  type User,
} from './data.ts';
import { requireWrite } from './permissions.ts';

type Deps = { data: PracticeData; now: () => Date; notify: (changes: readonly Change[]) => void };

const DEFAULT_SESSION_MS = 30 * 86_400_000;

/** Creates the actions on sessions and their documents. Each throws PracticeError if it cannot be done. */
export function makeActOnSessions({ data, now, notify }: Deps) {
  function writable(by: User, ref: string): Session {
    const session = data.session(ref);
    requireWrite(by, session);
    return session;
  }

  function notifySession(by: User, cause: Cause, session: Session): Acted {
    notify([{ by: by.email, cause, subject: sessionSubject(session) }]);
    return acted(session);
  }

  function notifyDocument(
    by: User,
    cause: Cause,
    at: { session: Session; document: SessionDocument },
  ): Acted {
    notify([{ by: by.email, cause, subject: documentSubject(at.session, at.document) }]);
    return acted(at.document);
  }

  return {
    /** Service interface, Events: creating a session is not an event. */
    createSession(by: User, { name, id, expires }: ActionOf<'create-session'>): Acted {
      const until = expires ?? new Date(now().getTime() + DEFAULT_SESSION_MS);
      const session = data.newSession({ name, id, primeId: by.primeId, expires: until });
      session.members.set(by.email, 'write');
      return acted(session);
    },
    renameSession(by: User, { session: ref, name }: ActionOf<'rename-session'>): Acted {
      const session = writable(by, ref);
      session.name = name;
      return notifySession(by, 'rename', session);
    },
    changeExpiry(by: User, { session: ref, expires }: ActionOf<'change-expiry'>): Acted {
      const session = writable(by, ref);
      session.expires = expires;
      return notifySession(by, 'expiry', session);
    },
    finalizeSession(by: User, { session: ref }: ActionOf<'finalize-session'>): Acted {
      const session = writable(by, ref);
      session.status = 'Finalizing';
      return notifySession(by, 'finalize', session);
    },
    deleteSession(by: User, { session: ref }: ActionOf<'delete-session'>): Acted {
      const session = writable(by, ref);
      data.sessions.delete(session.id);
      return notifySession(by, 'delete', session);
    },
    addDocument(by: User, { session: ref, name, id }: ActionOf<'add-document'>): Acted {
      const session = writable(by, ref);
      return notifyDocument(by, 'add', { session, document: data.newDocument(session, { name, id }) });
    },
    deleteDocument(by: User, { session: ref, document: which }: ActionOf<'delete-document'>): Acted {
      const session = writable(by, ref);
      const document = data.document(session, which);
      session.documents.delete(document.id);
      return notifyDocument(by, 'delete', { session, document });
    },
  };
}

function acted({ id, name }: { id: string; name: string }): Acted {
  return { id, name, ids: [id] };
}
