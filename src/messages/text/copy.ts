import type { ChannelReason } from '../../core/model/channel-reason.ts';
import type { CommandNames } from '../../core/model/commands.ts';
import type { Subscribed } from '../../core/model/subscribed-of.ts';
import type { Delivery, EventType, Filters, PersonName } from '../../core/model/subscription.ts';
import { counted, item, joined, type Phrase, person, plainly, strong, typed } from './phrase.ts';

/** What is called differently from place to place. */
export type Copy = {
  /** The service's name as it stands within a sentence, e.g. "the collaboration service". */
  readonly serviceName: string;
  readonly commands: CommandNames;
};

/** Somebody in Slack, by the name to show; messages never mention, because mentions ping. */
export type Who = { readonly userId: string; readonly name: string };

/**
 * What somebody can choose about a subscription. `names`: the names of people whom filters know by their Slack id, and what is shown
 * for e-mail addresses and paths where another organization reads along.
 */
export type Settings = {
  readonly filters: Filters;
  readonly delivery: Delivery;
  readonly threads: boolean;
  readonly names?: ReadonlyMap<string, string> | undefined;
};

/** Why a subscription is paused. */
export type PauseReason =
  | ChannelReason
  | 'link lost'
  | 'unlinked'
  | 'owner gone'
  | 'no access'
  | 'not sent any more'
  | 'by a person';

/** Who somebody is, where nothing is known. */
const nobodyKnown = 'Somebody';

/** A person's name for a sentence. */
export function whoIs(who: Who | null): Phrase {
  return [person(who === null || who.name.trim() === '' ? nobodyKnown : who.name)];
}

/** "project Harbour Tower (123-456-789) and everything in it". */
export function describeTarget(subscribed: Subscribed): Phrase {
  const { target, comprehensive } = subscribed;
  switch (target.kind) {
    case 'project':
      return [
        ...named('project', target.projectId, subscribed),
        comprehensive ? ' and everything in it' : ' itself',
      ];
    case 'session':
      return [
        ...named('session', target.sessionId, subscribed),
        comprehensive ? ' and its documents' : ' itself',
      ];
    case 'folder':
    case 'file':
      return [
        `${target.kind} `,
        nameOr(subscribed, target.itemId),
        ' in project ',
        plainly(target.projectId),
      ];
    case 'document':
      return ['document ', nameOr(subscribed, target.documentId), ' in session ', plainly(target.sessionId)];
  }
}

const done: Record<EventType, string> = { create: 'added', update: 'changed', delete: 'deleted' };

/** "only what is added or deleted; only in Plans/**; not what Max does", or "everything" where nothing is left out. */
export function describeFilters(filters: Filters, names?: ReadonlyMap<string, string>): Phrase {
  const people = (list: readonly PersonName[]) => oneOf(list.map((who) => nameOfPerson(who, names)));
  const inside = filters.paths.filter((path) => !path.startsWith('!'));
  const outside = filters.paths.filter((path) => path.startsWith('!'));
  const shown = (path: string) => names?.get(path) ?? path;
  const parts: Phrase[] = [];
  if (filters.only.length > 0)
    parts.push(['only what is ', ...oneOf(filters.only.map((type) => [done[type]]))]);
  if (inside.length > 0) parts.push(['only in ', ...oneOf(inside.map((path) => [typed(shown(path))]))]);
  if (outside.length > 0)
    parts.push(['nothing in ', ...oneOf(outside.map((path) => [typed(shown(path).slice(1))]))]);
  if (filters.by.length > 0) parts.push(['only what ', ...people(filters.by), ' does']);
  if (filters.notBy.length > 0) parts.push(['nothing that ', ...people(filters.notBy), ' does']);
  return parts.length === 0 ? ['everything'] : joined(parts, '; ');
}

/** "as it happens", "once an hour", "every day at 09:00 (Europe/Stockholm)". */
export function describeDelivery(delivery: Delivery): Phrase {
  switch (delivery.when) {
    case 'live':
      return ['as it happens'];
    case 'hourly':
      return ['in one message an hour'];
    case 'daily':
      return ['in one message a day, at ', plainly(delivery.at), ' (', plainly(delivery.zone), ')'];
  }
}

/** "Everything is posted, as it happens." for what follows a subscription made, and for lists. */
export function describeSettings({ filters, delivery, threads, names }: Settings): Phrase {
  return [
    'Posted: ',
    ...describeFilters(filters, names),
    '. When: ',
    ...describeDelivery(delivery),
    ...(threads ? ['. Later news of the same item goes into its thread'] : []),
  ];
}

/** Why a subscription is paused, and whose link it uses. */
export type Pause = {
  readonly reason: PauseReason;
  readonly owner: Who;
  /** Who paused it, where a person did and it is known. */
  readonly by?: Who | undefined;
};

/** The reason as the second half of a sentence: "paused: I am not in the channel any more". */
export function describePause({ reason, owner, by }: Pause): Phrase {
  const who = whoIs(owner);
  switch (reason) {
    case 'not in channel':
    case 'channel archived':
    case 'posting restricted':
    case 'workspace access':
      return describeChannelPause(reason);
    case 'link lost':
      return [...who, ' has to link again'];
    case 'unlinked':
      return [...who, ' has unlinked'];
    case 'owner gone':
      return [...who, ' is not in this workspace any more'];
    case 'no access':
      return [...who, ' is not allowed to see it any more'];
    case 'not sent any more':
      return ['its notifications have stopped'];
    case 'by a person':
      return by === undefined ? ['a member paused it'] : [...whoIs(by), ' paused it'];
  }
}

/** The same for a channel that is closed to the bot. */
export function describeChannelPause(reason: ChannelReason): Phrase {
  switch (reason) {
    case 'not in channel':
      return ['I am not in the channel any more'];
    case 'channel archived':
      return ['the channel is archived'];
    case 'posting restricted':
      return ['I am not allowed to post in the channel'];
    case 'workspace access':
      return ['my permission for this workspace does not work any more'];
  }
}

/** What opens a channel to the bot again, as a sentence. `botName`: for `/invite`. */
export function describeReopening(reason: ChannelReason, botName: string): Phrase {
  switch (reason) {
    case 'not in channel':
      return ['Type ', typed(`/invite @${botName}`), ' in the channel, and it carries on by itself.'];
    case 'channel archived':
      return ['Once the channel is unarchived and I am in it again, it carries on by itself.'];
    case 'posting restricted':
      return ['Once an admin of the channel lets me post, it carries on by itself.'];
    case 'workspace access':
      return ['Once an admin of the workspace has installed me again, it carries on by itself.'];
  }
}

/** What names depend on, to say how a pause ends. */
export type Remedy = {
  readonly copy: Copy;
  /** The bot's name in Slack, for `/invite`. */
  readonly botName: string;
  /** The whole command that follows it again, for somebody else to take it over. */
  readonly toFollow: string;
};

/** What mends it, as sentences. */
export function describeRemedy({ reason, owner }: Pause, remedy: Remedy): Phrase {
  const { serviceName, commands } = remedy.copy;
  const who = whoIs(owner);
  const takeOver: Phrase = ['Anybody who is linked can carry it on with ', typed(remedy.toFollow), '.'];
  switch (reason) {
    case 'not in channel':
    case 'channel archived':
    case 'posting restricted':
    case 'workspace access':
      return describeReopening(reason, remedy.botName);
    case 'link lost':
      return [
        'It carries on once ',
        ...who,
        ' has typed ',
        typed(`${commands.plancast} link`),
        '. ',
        ...takeOver,
      ];
    case 'unlinked':
    case 'owner gone':
      return takeOver;
    case 'no access':
      return ['It carries on once ', ...who, ' is let in again at ', plainly(serviceName), '. ', ...takeOver];
    case 'not sent any more':
      return [
        'I keep trying to set it up again at ',
        plainly(serviceName),
        '. ',
        typed(`${commands.plancast} doctor`),
        ' says how far that got.',
      ];
    case 'by a person':
      return [
        'It carries on once somebody presses Resume in what ',
        typed(commands.subscriptions),
        ' shows.',
      ];
  }
}

function named(kind: 'project' | 'session', id: string, { name }: Subscribed): Phrase {
  return hasText(name) ? [`${kind} `, strong(name), ' (', plainly(id), ')'] : [`${kind} `, plainly(id)];
}

function nameOr({ name }: Subscribed, id: string) {
  return hasText(name) ? item(name) : typed(id);
}

function hasText(name: string | null): name is string {
  return name !== null && name.trim() !== '';
}

const listedAtMost = 5;

function oneOf(phrases: readonly Phrase[]): Phrase {
  if (phrases.length <= listedAtMost) return joined(phrases, ', ', ' or ');
  const rest = phrases.length - (listedAtMost - 1);
  return joined([...phrases.slice(0, listedAtMost - 1), [counted(rest, 'more', 'more')]], ', ', ' or ');
}

function nameOfPerson(who: PersonName, names?: ReadonlyMap<string, string>): Phrase {
  if ('email' in who) return [plainly(names?.get(who.email) ?? who.email)];
  const name = names?.get(who.userId);
  return name === undefined ? ['the Slack user ', typed(who.userId)] : [plainly(name)];
}
