import { makeActOnProjects } from './act-on-projects.ts';
import { makeActOnSessions } from './act-on-sessions.ts';
import { type Acted, type ActionOf, type PracticeAction, practiceAction } from './actions.ts';
import type { Change, Subject } from './changes.ts';
import {
  documentSubject,
  itemSubject,
  type PracticeData,
  type Project,
  projectSubject,
  type Session,
  sessionSubject,
  type User,
} from './data.ts';
import { requireWrite } from './permissions.ts';
import { PracticeError } from './practice-error.ts';
import type { SwitchBoard } from './switches.ts';

type Deps = {
  data: PracticeData;
  switches: SwitchBoard;
  now: () => Date;
  /** Called with the changes once they have happened. */
  notify: (changes: readonly Change[]) => void;
};

/**
 * Performs an action at the service as the user with this email. It is done when the call returns, and its notifications are on their way.
 * Throws PracticeError: `unknown` (no such object or user), `denied`, `invalid`.
 */
export type Act = (email: string, action: PracticeAction) => Acted;

/** Creates `act`. */
export function makeAct(deps: Deps): Act {
  const projects = makeActOnProjects(deps);
  const sessions = makeActOnSessions(deps);

  function run(by: User, action: PracticeAction): Acted {
    switch (action.action) {
      case 'create-project':
        return projects.createProject(by, action);
      case 'rename-project':
        return projects.renameProject(by, action);
      case 'delete-project':
        return projects.deleteProject(by, action);
      case 'create-folder':
        return projects.createFolder(by, action);
      case 'create-file':
        return projects.createFile(by, action);
      case 'add-files':
        return projects.addFiles(by, action);
      case 'rename-item':
        return projects.renameItem(by, action);
      case 'move-item':
        return projects.moveItem(by, action);
      case 'check-in':
        return projects.checkIn(by, action);
      case 'delete-item':
        return projects.deleteItem(by, action);
      case 'create-session':
        return sessions.createSession(by, action);
      case 'rename-session':
        return sessions.renameSession(by, action);
      case 'change-expiry':
        return sessions.changeExpiry(by, action);
      case 'finalize-session':
        return sessions.finalizeSession(by, action);
      case 'delete-session':
        return sessions.deleteSession(by, action);
      case 'add-document':
        return sessions.addDocument(by, action);
      case 'delete-document':
        return sessions.deleteDocument(by, action);
      case 'set-permission':
        return setPermission(deps.data, by, action);
      case 'other-event':
        return otherEvent(deps, by, action);
    }
  }

  return (email, action) => {
    const by = deps.data.user(email);
    const checked = practiceAction.safeParse(action);
    if (!checked.success) {
      const issue = checked.error.issues[0];
      throw new PracticeError('invalid', `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`);
    }
    return run(by, checked.data);
  };
}

function projectOrSession(
  data: PracticeData,
  at: { project?: string | undefined; session?: string | undefined },
) {
  if (at.project !== undefined) return data.project(at.project);
  if (at.session !== undefined) return data.session(at.session);
  throw new PracticeError('invalid', 'Specify a project or session.');
}

function setPermission(data: PracticeData, by: User, action: ActionOf<'set-permission'>): Acted {
  const thing: Project | Session = projectOrSession(data, action);
  requireWrite(by, thing);
  thing.members.set(data.user(action.email).email, action.permission);
  return { id: thing.id, name: thing.name, ids: [thing.id] };
}

function otherEvent({ data, notify }: Deps, by: User, action: ActionOf<'other-event'>): Acted {
  requireWrite(by, projectOrSession(data, action));
  const subject = subjectOf(data, action);
  const { eventType, resourceType } = action;
  notify([{ by: by.email, cause: 'other', subject, eventType, resourceType }]);
  return { id: '', name: subject.name, ids: [] };
}

function subjectOf(data: PracticeData, action: ActionOf<'other-event'>): Subject {
  if (action.project !== undefined) {
    const project = data.project(action.project);
    return action.item === undefined
      ? projectSubject(project)
      : itemSubject(project, data.item(project, action.item));
  }
  const session = data.session(action.session ?? '');
  return action.document === undefined
    ? sessionSubject(session)
    : documentSubject(session, data.document(session, action.document));
}
