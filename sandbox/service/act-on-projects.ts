import type { Acted, ActionOf } from './actions.ts';
import type { Cause, Change } from './changes.ts';
import {
  type Item,
  itemSubject,
  type PracticeData,
  type Project,
  projectSubject,
  type User,
} from './data.ts';
import { requireWrite } from './permissions.ts';
import { PracticeError } from './practice-error.ts';
import type { SwitchBoard } from './switches.ts';

type Deps = { data: PracticeData; switches: SwitchBoard; notify: (changes: readonly Change[]) => void };

/** Creates the actions on projects, folders and files. Each throws PracticeError if it cannot be done. */
export function makeActOnProjects({ data, switches, notify }: Deps) {
  function writable(by: User, ref: string): Project {
    const project = data.project(ref);
    requireWrite(by, project);
    return project;
  }

  function folder(project: Project, ref: string | undefined): Item {
    const item = data.item(project, ref);
    if (item.kind !== 'Folder') throw new PracticeError('invalid', `"${item.name}" is not a folder.`);
    return item;
  }

  function ordinaryItem(project: Project, ref: string): Item {
    const item = data.item(project, ref);
    if (item.id === project.rootId) throw new PracticeError('invalid', 'The root folder cannot be changed.');
    return item;
  }

  function notifyItem(by: User, cause: Cause, at: { project: Project; item: Item }): Acted {
    notify([{ by: by.email, cause, subject: itemSubject(at.project, at.item) }]);
    return acted(at.item);
  }

  function notifyProject(by: User, cause: Cause, project: Project): Acted {
    notify([{ by: by.email, cause, subject: projectSubject(project) }]);
    return acted(project);
  }

  function create(by: User, kind: Item['kind'], wanted: ActionOf<'create-folder' | 'create-file'>): Acted {
    const project = writable(by, wanted.project);
    const parentId = folder(project, wanted.parent).id;
    const item = data.newItem(project, { kind, parentId, name: wanted.name, id: wanted.id });
    return notifyItem(by, 'create', { project, item });
  }

  return {
    /** Service interface, Events: creating a project is not an event. */
    createProject(by: User, { name, id }: ActionOf<'create-project'>): Acted {
      const project = data.newProject({ name, id, primeId: by.primeId });
      project.members.set(by.email, 'write');
      return acted(project);
    },
    renameProject(by: User, { project: ref, name }: ActionOf<'rename-project'>): Acted {
      const project = writable(by, ref);
      project.name = name;
      return notifyProject(by, 'rename', project);
    },
    deleteProject(by: User, { project: ref }: ActionOf<'delete-project'>): Acted {
      const project = writable(by, ref);
      data.projects.delete(project.id);
      return notifyProject(by, 'delete', project);
    },
    createFolder: (by: User, wanted: ActionOf<'create-folder'>): Acted => create(by, 'Folder', wanted),
    createFile: (by: User, wanted: ActionOf<'create-file'>): Acted => create(by, 'File', wanted),
    addFiles(by: User, wanted: ActionOf<'add-files'>): Acted {
      const { project: ref, parent, count, prefix = 'Sheet', extension = 'pdf' } = wanted;
      const project = writable(by, ref);
      const parentId = folder(project, parent).id;
      const first = lastNumber(project, { prefix, extension }) + 1;
      const made = Array.from({ length: count }, (_, at) =>
        data.newItem(project, { kind: 'File', parentId, name: `${prefix} ${first + at}.${extension}` }),
      );
      notify(made.map((item) => ({ by: by.email, cause: 'create', subject: itemSubject(project, item) })));
      return { id: made[0]?.id ?? '', name: made[0]?.name ?? '', ids: made.map(({ id }) => id) };
    },
    renameItem(by: User, wanted: ActionOf<'rename-item'>): Acted {
      const project = writable(by, wanted.project);
      const item = ordinaryItem(project, wanted.item);
      item.name = wanted.name;
      return notifyItem(by, 'rename', { project, item });
    },
    moveItem(by: User, wanted: ActionOf<'move-item'>): Acted {
      const project = writable(by, wanted.project);
      const item = ordinaryItem(project, wanted.item);
      const to = folder(project, wanted.to);
      if (itemSubject(project, to).item?.ids.includes(item.id)) {
        throw new PracticeError('invalid', 'A folder cannot be moved into itself.');
      }
      item.parentId = to.id;
      return notifyItem(by, 'move', { project, item });
    },
    checkIn(by: User, wanted: ActionOf<'check-in'>): Acted {
      const project = writable(by, wanted.project);
      const item = ordinaryItem(project, wanted.item);
      if (item.kind !== 'File') throw new PracticeError('invalid', 'Only a file can be checked in.');
      item.version += 1;
      return notifyItem(by, 'check-in', { project, item });
    },
    deleteItem(by: User, wanted: ActionOf<'delete-item'>): Acted {
      const project = writable(by, wanted.project);
      const item = ordinaryItem(project, wanted.item);
      const all = innermostFirst(data, project, item);
      const notified = switches.get('folderDeletion') === 'each item' ? all : [item];
      const subjects = notified.map((one) => itemSubject(project, one));
      for (const { id } of all) project.items.delete(id);
      notify(subjects.map((subject) => ({ by: by.email, cause: 'delete', subject })));
      return { id: item.id, name: item.name, ids: all.map(({ id }) => id) };
    },
  };
}

/** Returns the highest number of the project's files `<prefix> <number>.<extension>`; 0 if there are none. */
function lastNumber(
  { items }: Project,
  { prefix, extension }: { prefix: string; extension: string },
): number {
  const [start, end] = [`${prefix} `, `.${extension}`];
  const numbers = [...items.values()].map(({ name }) => {
    const number = name.startsWith(start) && name.endsWith(end) ? name.slice(start.length, -end.length) : '';
    return /^\d+$/.test(number) ? Number(number) : 0;
  });
  return numbers.reduce((highest, number) => Math.max(highest, number), 0);
}

function acted({ id, name }: { id: string; name: string }): Acted {
  return { id, name, ids: [id] };
}

function innermostFirst(data: PracticeData, project: Project, item: Item): Item[] {
  return [...data.children(project, item).flatMap((child) => innermostFirst(data, project, child)), item];
}
