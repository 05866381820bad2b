import type { ServiceItem, ServiceProject } from '../practice-states.ts';
import { type Html, html } from './html.ts';
import { type IconName, icon } from './icons.ts';
import type { LookingAt } from './looking-at.ts';
import { nextName } from './next-name.ts';
import { actButton, actChoice, actForm, following } from './service-acts.ts';

/** Files shown per folder; the rest is only counted. */
const filesShown = 12;
const filesAdded = 50;

type Row = {
  readonly key: string;
  readonly picture: IconName;
  readonly name: string;
  readonly aside?: string | undefined;
  readonly things: () => Html;
};

/** Renders one line of a list, which opens to show the object's actions. */
export function renderRow({ key, picture, name, aside, things }: Row, { open }: LookingAt): Html {
  const isOpen = key === open;
  const small = aside !== undefined && html` <small>${aside}</small>`;
  return html`<button type="button" class="row" data-open="${key}" aria-expanded="${isOpen ? 'true' : 'false'}">${icon(picture)}<span>${name}</span>${small}</button>${isOpen && html`<div class="things" data-key="things-${key}">${things()}</div>`}`;
}

/** Renders a project with its folders and files. */
export function renderProject(project: ServiceProject, looking: LookingAt): Html {
  const { id, name, tree } = project;
  const folders = foldersOf(tree, '');
  const row = renderRow(
    { key: `project:${id}`, picture: 'project', name, aside: id, things: () => projectThings(project) },
    looking,
  );
  return html`<li data-key="project:${id}">${row}${renderChildren(tree, { projectId: id, folders, looking })}</li>`;
}

function projectThings({ id, name }: ServiceProject): Html {
  const project = { project: id };
  return html`${following(id, `/subscribe project ${id}`)}
${actForm('Rename', { action: 'rename-project', ...project }, { name: 'name', label: 'New name', value: nextName(name) })}
${actForm('Add folder', { action: 'create-folder', ...project }, { name: 'name', label: 'Folder', value: 'Level 4' })}
${actForm('Add file', { action: 'create-file', ...project }, { name: 'name', label: 'File', value: 'Overview.pdf' })}
<p class="buttons">${actButton('Delete project', { action: 'delete-project', ...project }, 'danger')}</p>`;
}

type Folder = { readonly id: string; readonly path: string };
type Within = {
  readonly projectId: string;
  readonly folders: readonly Folder[];
  readonly looking: LookingAt;
};

/** Returns the path of every folder below the root, without the root's name, which says nothing. */
function foldersOf(item: ServiceItem, path: string): Folder[] {
  return item.children
    .filter(({ kind }) => kind === 'Folder')
    .flatMap((folder) => {
      const here = path === '' ? folder.name : `${path} / ${folder.name}`;
      return [{ id: folder.id, path: here }, ...foldersOf(folder, here)];
    });
}

function renderChildren(parent: ServiceItem, within: Within): Html | undefined {
  if (parent.children.length === 0) return undefined;
  const folders = parent.children.filter(({ kind }) => kind === 'Folder');
  const files = parent.children.filter(({ kind }) => kind === 'File');
  const isWhole = files.length <= filesShown + 1 || within.looking.all.includes(parent.id);
  // People look for the files added last.
  const shown = isWhole ? files : files.slice(-filesShown);
  const hidden = files.length - shown.length;
  const more =
    hidden > 0 &&
    html`<li data-key="more-${parent.id}"><button type="button" class="row more" data-all="${parent.id}">and ${hidden} more files</button></li>`;
  return html`<ul>${folders.map((item) => renderItem(item, within))}${more}${shown.map((item) => renderItem(item, within))}</ul>`;
}

function renderItem(item: ServiceItem, within: Within): Html {
  const { id, kind, name, version } = item;
  const key = `item:${within.projectId}:${id}`;
  const row: Row = {
    key,
    picture: kind === 'Folder' ? 'folder' : 'file',
    name,
    aside: version > 1 ? `version ${version}` : undefined,
    things: () => (kind === 'Folder' ? folderThings(item, within) : fileThings(item, within)),
  };
  return html`<li data-key="${key}">${renderRow(row, within.looking)}${renderChildren(item, within)}</li>`;
}

function folderThings(item: ServiceItem, within: Within): Html {
  const { projectId } = within;
  const into = { project: projectId, parent: item.id };
  return html`${following(item.id, `/subscribe folder ${projectId} ${item.id}`)}
${actForm('Add file', { action: 'create-file', ...into }, { name: 'name', label: 'File', value: `${shortName(item)}-${item.children.length + 1}.pdf` })}
${actForm('Add folder', { action: 'create-folder', ...into }, { name: 'name', label: 'Folder', value: 'Archive' })}
${renameAndMove(item, within)}
<p class="buttons">${actButton(`Add ${filesAdded} files`, { action: 'add-files', ...into, count: filesAdded })}${deleteItem(item, within)}</p>`;
}

function fileThings(item: ServiceItem, within: Within): Html {
  const { projectId } = within;
  const checkIn = actButton('New version', { action: 'check-in', project: projectId, item: item.id });
  return html`${following(item.id, `/subscribe file ${projectId} ${item.id}`)}
${renameAndMove(item, within)}
<p class="buttons">${checkIn}${deleteItem(item, within)}</p>`;
}

function renameAndMove(item: ServiceItem, { projectId, folders }: Within): Html {
  const which = { project: projectId, item: item.id };
  const elsewhere = folders
    .filter(({ id }) => id !== item.id)
    .map(({ id, path }) => ({ value: id, label: path }));
  return html`${actForm('Rename', { action: 'rename-item', ...which }, { name: 'name', label: 'New name', value: nextName(item.name) })}
${actChoice('Move', { action: 'move-item', ...which }, { name: 'to', label: 'To', options: elsewhere })}`;
}

function deleteItem(item: ServiceItem, { projectId }: Within): Html {
  return actButton('Delete', { action: 'delete-item', project: projectId, item: item.id }, 'danger');
}

/** Shortens `Level 1` to `L1`, for names of new sheets. */
function shortName({ name }: ServiceItem): string {
  return name.replaceAll(/\b(\p{L})\p{L}*\s*/gu, '$1').slice(0, 6) || 'Sheet';
}
