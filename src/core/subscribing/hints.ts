import { isDeepStrictEqual } from 'node:util';
import { inSlices } from '../../lib/in-slices.ts';
import { countSlips, trimSlashes } from '../../lib/text.ts';
import { itemNotSeen, pathsNotSeen } from '../../messages/subscribing/answers.ts';
import * as items from '../../store/tables/items.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { channelOf } from '../access/command-context.ts';
import { keepAnswer } from '../access/kept-requests.ts';
import { isDiscreet } from '../access/shown-names.ts';
import type { Bot } from '../bot.ts';
import { isIn } from '../model/filters.ts';
import { compileGlobs, readGlobPath } from '../model/glob.ts';
import { projectItemKey } from '../model/items.ts';
import { shortPattern } from '../model/patterns.ts';
import { isDirect } from '../model/people.ts';
import { type Filters, isCarried, type Scope, type Target } from '../model/subscription.ts';
import type { AllowedRequest } from './allowed-request.ts';
import { knownFolders, type Seen, seenOf } from './known-folders.ts';

/** The most paths that are named. */
const mostNamed = 3;
/** How many characters of paths are matched with how many of names at most, in their product: a tenth of a second. */
const mostWork = 100_000_000;
const longestName = 100;

/**
 * Warns a person privately about the paths of their request that fit nothing they may know of in the project, and offers the nearest
 * folder. Says nothing of a project that they know nothing of yet. What looks like the name of an item is no id of one, as far as is known.
 */
export async function warnOfUnknownPaths(
  bot: Bot,
  { context, request, options }: AllowedRequest,
  filters: Filters,
): Promise<void> {
  const { target, comprehensive } = request;
  const named = 'itemId' in target && /\s|\.\p{L}[\p{L}\p{N}]{1,4}$/u.test(target.itemId) ? target : null;
  if (!('projectId' in target) || options.quiet || !(named || request.filters.paths?.length)) return;
  const seen = await seenOf(bot, { ...context, madeInChannel: true }, target.projectId);
  if (named && !seen.some(({ itemId }) => itemId === named.itemId))
    await context.reply(itemNotSeen(named.kind, named.itemId));
  if (!request.filters.paths?.length) return;
  const unknown = (await unknownPathsOf(filters.paths, seen)).slice(0, mostNamed);
  if (unknown.length === 0) return;
  const folders = knownFolders(seen).map(({ path }) => path.join('/'));
  const meant = new Map<string, string | undefined>();
  for (const path of unknown) meant.set(path, await nearestFolder(path, folders));
  const paths = filters.paths.map((path) => meant.get(path) ?? path);
  const isShort = await isDiscreet(bot, channelOf(context));
  const shown = (path: string) => (isShort ? shortPattern(path) : path).replace(/^!/, '');
  const personal = isDirect(context.channelId) || undefined;
  const corrected = { act: 'subscribe', target, comprehensive, filters: { paths }, personal } as const;
  await context.reply(
    pathsNotSeen(
      [...meant].map(([path, near]) => ({ path: shown(path), meant: near && shown(near) })),
      isDeepStrictEqual(paths, filters.paths) ? null : await keepAnswer(bot, corrected),
    ),
  );
}

/** Returns the paths that fit no item; none if nothing is known, or too much to look through. */
async function unknownPathsOf(paths: readonly string[], seen: readonly Seen[]): Promise<readonly string[]> {
  const known = [...new Set(seen.flatMap(({ path }) => path ?? []))];
  if (known.length === 0 || paths.join('').length * known.join('').length > mostWork) return [];
  const unknown = new Map(paths.map((path) => [path, compileGlobs([path.replace(/^!/, '')])]));
  await inSlices(known, (each) => {
    const read = readGlobPath(each);
    for (const [path, matches] of unknown) if (matches(read)) unknown.delete(path);
  });
  return [...unknown.keys()];
}

/** Returns the known folder whose path or name is most like a typed path, with its `!`; undefined if none is like it. */
async function nearestFolder(path: string, folders: readonly string[]): Promise<string | undefined> {
  const not = path.startsWith('!') ? '!' : '';
  const names = trimSlashes(path.slice(not.length).replace(/\/\*\*$/, '')).split(/[/›>]/);
  const typed = names.map((name) => name.trim().toLowerCase()).join('/');
  if (/[*?{]/.test(typed) || typed.length > longestName) return undefined;
  let best: string | undefined;
  let fewest = Math.max(3, Math.ceil(typed.length / 3));
  await inSlices(folders, (folder) => {
    const name = typed.includes('/') ? folder : folder.slice(folder.lastIndexOf('/') + 1);
    if (Math.abs(name.length - typed.length) >= fewest) return;
    const slips = countSlips(typed, name.toLowerCase());
    if (slips < fewest) [best, fewest] = [`${not}${folder}`, slips];
  });
  return best;
}

/** Returns another subscription of the channel that posts all that this one does; null for none. Items are where the channel last saw them. */
export async function widerSubscription(
  { db }: Bot,
  subscription: Subscription,
): Promise<Subscription | null> {
  const { target } = subscription;
  const rows = await subscriptions.ofChannel(db, subscription);
  const keys =
    'itemId' in target && rows.some(isCarried) ? [projectItemKey(target.projectId, target.itemId)] : [];
  const [item] = (await items.load(db, subscription, keys)).values();
  const others = rows.filter(({ id, state }) => id !== subscription.id && state !== 'paused');
  return others.find((row) => covers(row, subscription, item?.idPath ?? null)) ?? null;
}

/**
 * Returns whether a subscription already posts everything that one to `target` would: it follows the whole project, session or folder around
 * it, and its filters pass all that the other's do. `idPath`: of `target`, as last seen; null if unknown.
 */
function covers(
  { target: wider, comprehensive, filters }: Scope & { readonly filters: Filters },
  { target, filters: wanted }: { readonly target: Target; readonly filters: Filters },
  idPath: string | null,
): boolean {
  if (!comprehensive || !passesAll(filters, wanted)) return false;
  switch (target.kind) {
    case 'folder':
    case 'file':
      if (wider.kind === 'folder') return wider.projectId === target.projectId && isIn(idPath, wider.itemId);
      return wider.kind === 'project' && wider.projectId === target.projectId;
    case 'document':
      return wider.kind === 'session' && wider.sessionId === target.sessionId;
    case 'project':
    case 'session':
      return false;
  }
}

/** Whether everything that `wanted` lets pass certainly passes `wider` too. Patterns are compared as they are written. */
function passesAll(wider: Filters, wanted: Filters): boolean {
  const [kept, excluded] = [(path: string) => !path.startsWith('!'), (path: string) => path.startsWith('!')];
  return (
    isWithin(wanted.only, wider.only) &&
    isWithin(wanted.by, wider.by) &&
    isWithin(wanted.paths.filter(kept), wider.paths.filter(kept)) &&
    isPartOf(wider.notBy, wanted.notBy) &&
    isPartOf(wider.paths.filter(excluded), wanted.paths.filter(excluded))
  );
}

/** Whether a list of what passes allows no more than another. An empty one allows everything. */
function isWithin(list: readonly unknown[], other: readonly unknown[]): boolean {
  return other.length === 0 || (list.length > 0 && isPartOf(list, other));
}

function isPartOf(list: readonly unknown[], other: readonly unknown[]): boolean {
  return list.every((one) => other.some((each) => isDeepStrictEqual(one, each)));
}
