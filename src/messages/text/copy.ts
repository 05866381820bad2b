import { someone } from '../../core/model/change.ts';
import { type PauseReason, pausedByPerson } from '../../core/model/pause-reason.ts';
import { isDirect } from '../../core/model/people.ts';
import type { QuietHours } from '../../core/model/quiet-hours.ts';
import type { Fault } from '../../core/model/request.ts';
import { type FeaturesOff, optionalFeatures } from '../../core/model/slack-access.ts';
import {
  type DayOfWeek,
  type Delivery,
  type EventType,
  eventWords,
  type Filters,
  type PersonName,
  type Ping,
  type Subscribed,
} from '../../core/model/subscription.ts';
import type { CommandNames } from '../../core/model/verbs.ts';
import {
  capital,
  channel,
  counted,
  item,
  joined,
  type Phrase,
  person,
  plainly,
  say,
  sentence,
  strong,
  typed,
} from './phrase.ts';

/** Names that vary: the service's, and how commands are typed. */
export type Copy = {
  /** The service's name as used within a sentence, e.g. "the collaboration service". */
  readonly serviceName: string;
  readonly commands: CommandNames;
};

/** A Slack user with the name to show; messages mention nobody, because that pings. `isReader`: the only reader, who is called "You". */
export type Who = {
  readonly userId: string;
  readonly name: string;
  readonly isReader?: boolean | undefined;
};

/**
 * The options of a subscription. `names` maps what filters contain to what is shown: Slack ids to names and, in a channel shared with
 * another organization, email addresses and paths to something safe.
 */
export type SubscriptionSettings = {
  readonly filters: Filters;
  readonly delivery: Delivery;
  readonly threads: boolean;
  readonly ping?: Ping | null | undefined;
  readonly names?: ReadonlyMap<string, string> | undefined;
};

/** Returns a person's name, or "You" to start a sentence. */
export function whoIs(who: Who | null): Phrase {
  if (who?.isReader) return say`You`;
  return [person(who?.name.trim() ? who.name : 'A member')];
}

/** Names a conversation: the reader's own direct messages with the bot if it is `personal`, else the channel. */
export function conversation(personal: boolean | undefined) {
  return personal ? 'your direct messages with me' : 'this channel';
}

/** Names a conversation at the start of a line. */
export function conversationTitle(channelId: string): Phrase {
  return isDirect(channelId) ? say`Your direct messages with me` : [channel(channelId)];
}

/** Returns "Dana's", or "your". */
export function whose(who: Who | null): Phrase {
  return who?.isReader ? say`your` : say`${whoIs(who)}’s`;
}

/** The word for what each kind can be followed with or without. */
const contents = {
  project: 'contents',
  folder: 'contents',
  file: 'new versions',
  session: 'documents',
} as const;
export type KindWithContents = keyof typeof contents;

/** Names the scope of a subscription: "project and contents" or "project only". */
export function describeScope(kind: KindWithContents, comprehensive: boolean) {
  if (comprehensive) return `${kind} and ${contents[kind]}` as const;
  // The interface does not say whether a plain subscription to a file reports them.
  return kind === 'file' ? 'file only; new versions may not be reported' : (`${kind} only` as const);
}

/** "Harbour Tower", "folder Plans in Harbour Tower (folder only)", "file 58301377 in project 123-456-789". Uses ids for unknown names. */
export function describeTarget(subscribed: Subscribed): Phrase {
  const { target, comprehensive } = subscribed;
  const what = nameTarget(subscribed);
  if (comprehensive || target.kind === 'document') return what;
  return say`${what} (${describeScope(target.kind, false)})`;
}

/** The same without the scope. */
export function nameTarget(subscribed: Subscribed): Phrase {
  const { target, name } = subscribed;
  const { kind } = target;
  if (kind === 'project' || kind === 'session') return parentOf({ target, parentName: name });
  const id = kind === 'document' ? target.documentId : target.itemId;
  return say`${kind} ${hasText(name) ? item(name) : typed(id)} in ${parentOf(subscribed)}`;
}

/** Lists what several subscriptions follow, one per line. */
export function listTargets(subscribed: readonly Subscribed[]): Phrase[] {
  return subscribed.map((each) => say`• ${describeTarget(each)}`);
}

/** Returns the project or session that contains a resource: "Harbour Tower", or "project 123-456-789" if the name is unknown. */
export function parentOf({ target, parentName = null }: Pick<Subscribed, 'target' | 'parentName'>): Phrase {
  if (hasText(parentName)) return [strong(parentName)];
  return 'projectId' in target
    ? say`project ${plainly(target.projectId)}`
    : say`session ${plainly(target.sessionId)}`;
}

/** Returns "added and deleted by Sam in `Plans/**`, except in `*.bak` or by Max", or "every change" if there are no filters. */
export function describeFilters(filters: Filters, names?: ReadonlyMap<string, string>): Phrase {
  const { only, paths, by, notBy } = filters;
  const people = (list: readonly PersonName[]) => list.map((who) => nameOfPerson(who, names));
  const shown = (path: string): Phrase => [typed((names?.get(path) ?? path).replace(/^!/, ''))];
  const [inside, outside] = [
    paths.filter((path) => !path.startsWith('!')),
    paths.filter((path) => path.startsWith('!')),
  ];
  const isEvery = inside.length + by.length + only.length === 0;
  const excepted = [
    ...(outside.length > 0 ? [say`in ${listed(outside.map(shown), 'and')}`] : []),
    ...(notBy.length > 0 ? [say`by ${listed(people(notBy), 'and')}`] : []),
  ];
  return [
    ...(only.length === 0 ? say`${isEvery ? 'every change' : 'changes'}` : describeTypes(only)),
    ...(by.length > 0 ? say` by ${listed(people(by), 'or')}` : []),
    ...(inside.length > 0 ? say` in ${listed(inside.map(shown), 'or')}` : []),
    ...(excepted.length > 0 ? say`${isEvery ? '' : ','} except ${joined(excepted, ' or ')}` : []),
  ];
}

const eventNouns = {
  create: 'additions',
  update: 'changes to existing items',
  delete: 'deletions',
} as const satisfies Record<EventType, string>;

/** Returns "added, changed and deleted", or with `eventNouns` the same as nouns, "additions and deletions". */
function describeTypes(
  types: readonly EventType[],
  words: Record<EventType, string> = eventWords,
  last = 'and',
) {
  const each = types.map((type): Phrase => [words[type]]);
  return joined(each, ', ', ` ${last} `);
}

/** Returns "as they happen", "in an hourly digest", "in a daily digest at 9:00 Stockholm time, deletions as they happen". */
export function describeDelivery(delivery: Delivery): Phrase {
  if (delivery.when === 'live') return say`as they happen`;
  const { except = [] } = delivery;
  const passing = except.length === 0 ? [] : say`, ${describeTypes(except, eventNouns)} as they happen`;
  if (delivery.when === 'hourly') return say`in an hourly digest${passing}`;
  const at = say`at ${clockOf(delivery)}${passing}`;
  if (delivery.when === 'weekly') return say`in a weekly digest on ${plainly(dayName(delivery.day))} ${at}`;
  return say`in a ${delivery.weekdays ? 'digest on weekdays' : 'daily digest'} ${at}`;
}

/** Returns "9:00 Stockholm time". Not every zone is named after a city: "UTC", "Etc/GMT+5". */
function clockOf({ at, zone }: { readonly at: string; readonly zone: string }): Phrase {
  const city = zone.split('/').slice(1).at(-1)?.replaceAll('_', ' ');
  const time = plainly(shortTime(at));
  if (city === undefined || zone.startsWith('Etc/')) return say`${time} ${plainly(zone)}`;
  return say`${time} ${plainly(city)} time`;
}

/** Returns "18:00 to 7:00 Stockholm time, and all of Saturday and Sunday; deletions are still posted". */
export function describeQuiet({ from, to, zone, weekends, except = [] }: QuietHours): Phrase {
  const all = weekends ? ', and all of Saturday and Sunday' : '';
  const passing = except.length === 0 ? [] : say`; ${describeTypes(except, eventNouns)} are still posted`;
  return say`${plainly(shortTime(from))} to ${clockOf({ at: to, zone })}${all}${passing}`;
}

function shortTime(time: string): string {
  return time.replace(/^0/, '');
}

/** Returns a day of the week as it is written. */
export function dayName(day: DayOfWeek): string {
  return day.charAt(0).toUpperCase() + day.slice(1);
}

/** Returns "Sam Okafor when something is deleted". */
export function describePing(ping: Ping, names?: ReadonlyMap<string, string>): Phrase {
  const { kind, id, name, on } = ping;
  const group = name === undefined ? say`user group ${typed(id)}` : say`@${plainly(name)}`;
  const pinged = kind === 'user' ? nameOfPerson({ userId: id }, names) : group;
  return say`${pinged} when something is ${describeTypes(on, eventWords, 'or')}`;
}

/** Returns "You’ll see every change as it happens", "Posting added and deleted in `Plans/**`, in an hourly digest", without a period. */
export function describeSettings(settings: SubscriptionSettings): Phrase {
  const posted = describePosting(settings);
  return isEverything(settings.filters) ? say`You’ll see ${posted}` : capital(posted);
}

/** Returns "every change as it happens", "posting added and deleted in `Plans/**`", for lists. */
export function describePosting(settings: SubscriptionSettings): Phrase {
  const { filters, delivery, threads, ping, names } = settings;
  const grouped = threads ? '. Later changes to an item go into its thread' : '';
  const mentioning = ping ? say`. Mentions ${describePing(ping, names)}` : [];
  const all = isEverything(filters);
  const digest = say`${all ? ' ' : ', '}${describeDelivery(delivery)}`;
  const when = delivery.when === 'live' ? say`${all ? ' as it happens' : ''}` : digest;
  return say`${all ? '' : 'posting '}${describeFilters(filters, names)}${when}${grouped}${mentioning}`;
}

function isEverything({ only, paths, by, notBy }: Filters): boolean {
  return only.length + paths.length + by.length + notBy.length === 0;
}

/** Why a subscription is paused, and whose link it uses; null if that does not matter. */
export type Pause = {
  readonly reason: PauseReason;
  readonly owner: Who | null;
  /** Who paused it, if a person did and is known. */
  readonly by?: Who | undefined;
};

/** Why subscriptions pause. Where it concerns the owner: as the owner reads it, and as it follows their name. */
const pauses = {
  'link lost': ['you need to link your account again', ' needs to link their account again'],
  unlinked: ['you unlinked your account', ' unlinked their account'],
  'owner gone': ['you’re no longer a full member of this workspace', ' is no longer in this workspace'],
  'no access': ['you no longer have access to it', ' no longer has access to it'],
  'not sent any more': 'the service stopped sending notifications',
  'not in channel': 'I’m no longer in the channel',
  'channel archived': 'the channel is archived',
  'posting restricted': 'I’m not allowed to post in the channel',
  'workspace access': 'my access to this workspace no longer works',
} as const satisfies Record<Exclude<PauseReason, typeof pausedByPerson>, string | readonly [string, string]>;

/** Returns "paused by Dana", "paused: I'm no longer in the channel". */
export function describePause({ reason, owner, by }: Pause): Phrase {
  if (reason === pausedByPerson) {
    return say`paused by ${by === undefined ? say`a member` : by.isReader ? say`you` : whoIs(by)}`;
  }
  const why = pauses[reason];
  if (typeof why === 'string') return say`paused: ${why}`;
  return owner?.isReader ? say`paused: ${why[0]}` : say`paused: ${whoIs(owner)}${why[1]}`;
}

/** Returns sentences that say how a pause ends. Nobody else takes over what is the reader's own. `count`: of the subscriptions. */
export function describeRemedy(
  { reason, owner }: Pause,
  { serviceName, commands }: Copy,
  botName = '',
  count = 1,
): Phrase {
  const who = whoIs(owner);
  const [resumes, it] = count === 1 ? (['It resumes', 'it'] as const) : (['They resume', 'them'] as const);
  const takeOver = say`Anyone here with a linked account can take ${it} over.`;
  const own = owner?.isReader === true;
  const orTakeOver = own ? [] : say` ${takeOver}`;
  switch (reason) {
    case pausedByPerson:
      return say`Resume it in ${typed(commands.subscriptions)}.`;
    case 'link lost':
      return say`${resumes} once ${own ? say`you link` : say`${who} links`} again.${orTakeOver}`;
    case 'unlinked':
      return own ? say`${resumes} once you link again.` : takeOver;
    case 'owner gone':
      return own ? say`${resumes} once you’re a full member again.` : takeOver;
    case 'no access':
      return say`${resumes} once ${own ? say`you regain` : say`${who} regains`} access at ${plainly(serviceName)}.${orTakeOver}`;
    case 'not sent any more': {
      const check = say` Check progress with ${typed(`${commands.plancast} doctor`)}.`;
      return say`I’ll keep trying to set ${it} up again at ${plainly(serviceName)}.${own ? [] : check}`;
    }
    case 'not in channel':
      return say`To resume, type ${typed(`/invite @${botName}`)} in the channel.`;
    case 'channel archived':
      return say`Posting resumes once the channel is unarchived and I’m in it again.`;
    case 'posting restricted':
      return say`Posting resumes within an hour after a channel admin lets me post.`;
    case 'workspace access':
      return say`Posting resumes once a workspace admin reinstalls me.`;
  }
}

/** Returns "`digest` can’t be `monthly`. Use hourly or daily", without a period. */
export function describeFault({ option, value, expected }: Fault): Phrase {
  const use = say`${sentence(expected)}`;
  return value === null
    ? say`${typed(option)} needs ${use}`
    : say`${typed(option)} can’t be ${typed(value)}. Use ${use}`;
}

/** Lists what is off in a workspace for lack of scopes. */
export function describeOff({ features }: FeaturesOff): Phrase {
  const names = features.map((feature): Phrase => [optionalFeatures[feature].does]);
  return say`Off in this workspace for lack of permissions: ${joined(names, ', ', ' and ')}.`;
}

function hasText(name: string | null): name is string {
  return name !== null && name.trim() !== '';
}

const listedAtMost = 5;

function listed(phrases: readonly Phrase[], last: 'and' | 'or'): Phrase {
  const end = ` ${last} ` as const;
  if (phrases.length <= listedAtMost) return joined(phrases, ', ', end);
  const rest = phrases.length - (listedAtMost - 1);
  return joined([...phrases.slice(0, listedAtMost - 1), [counted(rest, 'more', 'more')]], ', ', end);
}

function nameOfPerson(who: PersonName, names?: ReadonlyMap<string, string>): Phrase {
  const name = names?.get('email' in who ? who.email : who.userId);
  if (name === someone) return say`someone`;
  if ('email' in who) return [plainly(name ?? who.email)];
  return name === undefined ? say`Slack user ${typed(who.userId)}` : [plainly(name)];
}
