import type { Button, KnownBlock } from '@slack/types';
import type { Change } from '../../core/model/change.ts';
import type { Subscribed } from '../../core/model/subscribed-of.ts';
import type { Delivery, Filters } from '../../core/model/subscription.ts';
import { sentenceOf } from '../activity/sentences.ts';
import { actionIds } from '../text/action-ids.ts';
import {
  type Copy,
  describeDelivery,
  describeFilters,
  describeSettings,
  describeTarget,
  type Settings,
  type Who,
  whoIs,
} from '../text/copy.ts';
import { charactersOf, fitInto, limits } from '../text/limits.ts';
import { actions, button, type Message, messageOf, mrkdwn } from '../text/message.ts';
import { capital, counted, inMrkdwn, inText, type Phrase, quoted, time, typed } from '../text/phrase.ts';
import { isOwnFault } from './dead-reasons.ts';
import { blocksOf, type Finding, say, textsOf, whatFits } from './findings.ts';

/** A subscription, and where it comes from. */
export type Origin = {
  readonly subscribed: Subscribed;
  readonly madeBy: Who;
  readonly madeAt: Date;
  /** Whose account is used by now, where that is somebody else's. */
  readonly carriedOnBy: Who | null;
  /** As they are now. */
  readonly settings: Settings;
  /** When they were last changed; null where they are as they were at first. */
  readonly changedAt?: Date | null | undefined;
};

/** The filter that left an event out. */
export type FilterKind = 'type' | 'person' | 'path';

/** What became of an event. */
export type Outcome =
  | { readonly kind: 'posted'; readonly at: Date | null }
  /** `settings`: those by which it was left out; null where they were changed since. */
  | { readonly kind: 'filtered'; readonly by: FilterKind; readonly settings: Settings | null }
  /** `told`: what told the same change. */
  | { readonly kind: 'covered'; readonly told: Subscribed | null }
  | { readonly kind: 'ended' }
  | { readonly kind: 'stale' }
  | { readonly kind: 'next' }
  | { readonly kind: 'muted'; readonly until: Date | null }
  | { readonly kind: 'digest'; readonly delivery: Delivery }
  | { readonly kind: 'paused' }
  | { readonly kind: 'dead'; readonly error: string }
  | { readonly kind: 'other'; readonly reason: string };

/** An event as it is told. */
export type TracedEvent = {
  /** Null once its details were deleted. */
  readonly change: Change | null;
  readonly receivedAt: Date;
  readonly outcome: Outcome;
};

/** Events that are told one by one of a message, and as many of what was left out beside it. */
export const eventsShown = 8;
/** Subscriptions that a page explains, events that each is told with, and ended ones below them. */
export const subscriptionsAPage = 3;
export const eventsEach = 4;
export const endedTold = 4;
/** Subscriptions that a message is told to come from. */
const originsTold = 4;

/** Why a message was posted: what it tells, through which subscriptions, and what came with it and was left out. */
export function whyThisMessage(why: {
  readonly count: number;
  readonly first: Date;
  readonly last: Date;
  readonly postedAt: Date | null;
  readonly through: readonly (Origin & { readonly count: number })[];
  /** The first of them. */
  readonly told: readonly TracedEvent[];
  readonly leftOut: { readonly count: number; readonly events: readonly TracedEvent[] };
}): Message {
  const { count, through, told, leftOut } = why;
  const were = count === 1 ? 'was' : 'were';
  const title: Phrase = [
    `This message tells ${counted(count, 'change')}, which came `,
    ...span(why.first, why.last),
    ...(why.postedAt === null ? [] : [` and ${were} posted `, time(why.postedAt)]),
    '.',
  ];
  const filteredTitle: Phrase = ['Came at about the same time, and was not posted:'];
  return messageFrom([
    paragraph(title, []),
    paragraph(['It comes from:'], originLines(through, why.last), headCharacters),
    paragraph(['It tells:'], [...told.map(toldLine), ...andMore(count - told.length, 'change')]),
    ...(leftOut.count === 0
      ? []
      : [
          paragraph(filteredTitle, [
            ...leftOut.events.map(eventLine),
            ...andMore(leftOut.count - leftOut.events.length, 'change'),
          ]),
        ]),
  ]);
}

/** A message of somebody else, or of another app. */
export function whyNotMine(): Message {
  return messageOf({ lines: [['That message is not one of mine. I can explain those that I posted.']] });
}

/** A message of the bot's that tells no event: an answer, an announcement, or one whose events are forgotten. */
export function whyNoEvents({ retentionDays }: { readonly retentionDays: number }): Message {
  return messageOf({
    lines: [
      [
        'That message tells no news that I know of. Either it says what somebody here did, or it is older than ',
        `${counted(retentionDays, 'day')}.`,
      ],
    ],
  });
}

/** A subscription of a channel, with its last events, and what was found about it. */
export type ExplainedSubscription = {
  readonly origin: Origin;
  /** The newest first. */
  readonly events: readonly TracedEvent[];
  readonly findings: readonly Finding[];
};

/** A subscription that is not there any more. `by`: who removed it, where somebody did. */
export type EndedSubscription = {
  readonly subscribed: Subscribed;
  readonly at: Date;
  readonly reason: string | null;
  readonly by: Who | null;
};

/** Why a channel hears what it does, or nothing: for each subscription, what became of its last events. `page` counts from 0. */
export function whyThisChannel(why: {
  readonly page: number;
  readonly pages: number;
  readonly channel: readonly Finding[];
  readonly subscriptions: readonly ExplainedSubscription[];
  readonly ended: readonly EndedSubscription[];
  readonly copy: Copy;
}): Message {
  const { page, pages, subscriptions, ended, copy } = why;
  const place = pages <= 1 ? '' : ` (page ${page + 1} of ${pages})`;
  const title: Phrase =
    subscriptions.length === 0
      ? [
          'This channel follows nothing, so I post nothing here. To follow something: ',
          typed(copy.commands.subscribe),
        ]
      : [`What this channel follows, and what became of the last news${place}:`];
  const parts = [
    paragraph(title, []),
    findingsPart(why.channel, copy),
    ...subscriptions.flatMap(({ origin, events, findings }) => [
      paragraph(capital(tellOrigin(origin, null)), events.map(eventLine)),
      findingsPart(findings, copy),
    ]),
    ...(ended.length === 0 ? [] : [paragraph(['Not followed any more:'], ended.map(endedLine))]),
  ];
  return messageFrom(parts, pages <= 1 ? [] : [actions(pageButtons(page, pages))]);
}

/** Part of a message, as blocks and as lines of its text. */
type Part = { readonly texts: readonly string[]; readonly blocks: readonly KnownBlock[] };

const headCharacters = 600;
/** A date alone has some 80 characters as it is sent; as many lines as there can be still fit into a section. */
const lineCharacters = 340;
const textCharacters = 3_000;
function messageFrom(parts: readonly Part[], tail: readonly KnownBlock[] = []): Message {
  const beside = { characters: textCharacters + charactersOf(tail), blocks: tail.length };
  return {
    text: fitInto(
      parts.flatMap(({ texts }) => texts),
      { max: textCharacters, joint: '\n', noun: 'lines' },
    ),
    blocks: [
      ...whatFits(
        parts.map(({ blocks }) => blocks).filter(({ length }) => length > 0),
        beside,
      ),
      ...tail,
    ],
  };
}

function paragraph(head: Phrase, lines: readonly Phrase[], lineMax: number = lineCharacters): Part {
  const cut = (write: (phrase: Phrase, max: number) => string) => [
    write(head, headCharacters),
    ...lines.map((line) => write(line, lineMax)),
  ];
  return {
    texts: cut(inText),
    blocks: [
      { type: 'section', text: mrkdwn(fitInto(cut(inMrkdwn), { max: limits.sectionText, joint: '\n' })) },
    ],
  };
}

function findingsPart(findings: readonly Finding[], copy: Copy): Part {
  const said = findings.map((finding) => say(finding, copy));
  return { texts: textsOf(said), blocks: blocksOf(said) };
}

function originLines(through: readonly (Origin & { readonly count: number })[], last: Date): Phrase[] {
  const lines = through.slice(0, originsTold).map((origin): Phrase => {
    const many = through.length === 1 ? [] : [`${counted(origin.count, 'change')} through `];
    return ['• ', ...many, ...tellOrigin(origin, last)];
  });
  return [...lines, ...andMore(through.length - lines.length, 'subscription')];
}

/**
 * "project Harbour Tower (123-456-789) and everything in it, since Nov 3, 2026 by Dana Ek. Posted: …". `last`: when the last came of
 * what is explained by it; null where it is only said how things are.
 */
function tellOrigin(
  { subscribed, madeBy, madeAt, carriedOnBy, settings, changedAt = null }: Origin,
  last: Date | null,
): Phrase {
  const isOther = last !== null && changedAt !== null && changedAt > last;
  const by: Phrase = carriedOnBy === null ? [] : [', carried on by ', ...whoIs(carriedOnBy)];
  return [
    ...describeTarget(subscribed),
    ', followed since ',
    time(madeAt),
    ' because of ',
    ...whoIs(madeBy),
    ...by,
    isOther ? '. Since then changed to: ' : '. ',
    ...describeSettings(settings),
    '.',
  ];
}

/** Of a message only its own events are told, so that it goes without saying that they were posted. */
function toldLine({ change, receivedAt }: TracedEvent): Phrase {
  return ['• Came ', time(receivedAt), ': ', ...tellChange(change)];
}

/** What became of it comes first: where not all fits, the end goes. */
function eventLine({ change, receivedAt, outcome }: TracedEvent): Phrase {
  return ['• Came ', time(receivedAt), ', ', ...tellOutcome(outcome), ': ', ...tellChange(change)];
}

function tellChange(change: Change | null): Phrase {
  if (change === null) return ['its details are not kept any more'];
  return sentenceOf({ first: change, changes: [change], things: [change] }, false);
}

function tellOutcome(outcome: Outcome): Phrase {
  switch (outcome.kind) {
    case 'posted':
      return outcome.at === null ? ['posted'] : ['posted ', time(outcome.at)];
    case 'filtered':
      return ['not posted, because of the filter ', ...tellRule(outcome)];
    case 'covered':
      return outcome.told === null
        ? ['not posted, as something else told the same already']
        : ['not posted, as it was told already through ', ...describeTarget(outcome.told)];
    case 'ended':
      return ['not posted, as what was followed had been deleted'];
    case 'stale':
      return ['not posted, as it had waited for over a week'];
    case 'next':
      return ['about to be posted'];
    case 'muted':
      return outcome.until === null
        ? ['waits for the end of the muting']
        : ['waits for the end of the muting ', time(outcome.until)];
    case 'digest':
      return ['waits, as news comes ', ...describeDelivery(outcome.delivery)];
    case 'paused':
      return ['waits, as this is paused'];
    case 'dead':
      return isOwnFault(outcome.error)
        ? ['not posted, as it went wrong here (', typed(outcome.error), ')']
        : ['not posted, as Slack refused it (', typed(outcome.error), ')'];
    case 'other':
      return ['not posted (', quoted(outcome.reason), ')'];
  }
}

/** The filter in words, where it still is as it was then. */
function tellRule({ by, settings }: Extract<Outcome, { kind: 'filtered' }>): Phrase {
  const kinds: Record<FilterKind, string> = { type: 'on event types', person: 'on people', path: 'on paths' };
  if (settings === null) return [`${kinds[by]} that there was then; it has been changed since`];
  const { filters, names } = settings;
  const none: Filters = { only: [], paths: [], by: [], notBy: [] };
  const rule: Record<FilterKind, Filters> = {
    type: { ...none, only: filters.only },
    person: { ...none, by: filters.by, notBy: filters.notBy },
    path: { ...none, paths: filters.paths },
  };
  const isStillThere = Object.values(rule[by]).some((list) => list.length > 0);
  return isStillThere
    ? [`${kinds[by]} (`, ...describeFilters(rule[by], names), ')']
    : [`${kinds[by]} that there was then`];
}

function endedLine({ subscribed, at, reason, by }: EndedSubscription): Phrase {
  return ['• ', ...describeTarget(subscribed), ', since ', time(at), ': ', ...endWords(reason, by)];
}

function endWords(reason: string | null, by: Who | null): Phrase {
  switch (reason) {
    case 'removed':
      return by === null ? ['somebody removed it'] : [...whoIs(by), ' removed it'];
    case 'deleted':
      return ['it was deleted'];
    case 'not found':
      return ['it cannot be found at the service any more'];
    case 'not made':
      return ['it could not be set up'];
    case 'uninstalled':
      return ['I was removed from this workspace'];
    default:
      return ['it has ended'];
  }
}

function span(first: Date, last: Date): Phrase {
  const isOne = last.getTime() - first.getTime() < 60_000;
  return isOne ? [time(first)] : ['from ', time(first), ' to ', time(last)];
}

function andMore(count: number, noun: string): Phrase[] {
  return count <= 0 ? [] : [[`… and ${counted(count, `more ${noun}`)}`]];
}

function pageButtons(page: number, pages: number): Button[] {
  const to = (actionId: string, label: string, there: number) =>
    button({ actionId, label, value: String(there), spoken: [`${label} page of what this channel follows`] });
  return [
    ...(page > 0 ? [to(actionIds.whyPrevious, 'Previous', page - 1)] : []),
    ...(page < pages - 1 ? [to(actionIds.whyNext, 'Next', page + 1)] : []),
  ];
}
