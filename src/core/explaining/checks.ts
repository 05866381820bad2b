import * as findings from '../../messages/explaining/findings.ts';
import type { Remote } from '../../service/shapes.ts';
import { stuckChannels } from '../../store/status.ts';
import * as lanes from '../../store/tables/lanes.ts';
import * as links from '../../store/tables/links.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as traces from '../../store/tables/traces.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { whoOf } from '../access/people-names.ts';
import type { Bot } from '../bot.ts';
import { findTroubles } from '../home/lists.ts';
import { callService } from '../linking/access-tokens.ts';
import type { Link } from '../model/link.ts';
import { pauseReasonOf } from '../model/pause-reason.ts';
import { isDirect, ownerOf } from '../model/people.ts';
import { quietNow } from '../model/quiet-hours.ts';
import { type ServiceError, serviceFailure } from '../model/service-error.ts';
import { isOddStatus, subscribedOf } from '../model/subscription.ts';

type CheckedRemote = { readonly link: findings.LinkState; readonly remote: findings.RemoteState };

/** Checks the state of a subscription, its owner's link and the remote subscription; asks the service with that link. Changes nothing. */
export async function checkSubscription(
  bot: Bot,
  context: CommandContext,
  row: Subscription,
): Promise<findings.Finding[]> {
  const { copy, person } = context;
  const [found, who, by, botName, [troubles = []]] = await Promise.all([
    links.of(bot.db, ownerOf(row)),
    whoOf(bot, row, row.ownerUserId),
    row.pausedBy ? whoOf(bot, row, row.pausedBy) : undefined,
    bot.slack.botNameOf(person),
    findTroubles(bot, [row]),
  ]);
  const { link, remote } = await ask(bot, row, found);
  const reason = pauseReasonOf(row);
  const pause = reason === null ? undefined : { reason, owner: who, by };
  const named = { id: row.id, subscribed: subscribedOf(row) };
  return [
    findings.stateOf({ ...named, state: row.state, pause }, botName, copy),
    findings.linkOf(who, row.ownerUserId === person.userId, link, copy),
    findings.remote(remote, named, copy),
    ...(row.target.kind === 'file' && !row.comprehensive ? [findings.versions(copy)] : []),
    ...troubles.map((trouble) => findings.troubled(trouble, named, isDirect(row.channelId))),
  ];
}

async function ask(bot: Bot, row: Subscription, link: Link | null): Promise<CheckedRemote> {
  if (link?.state !== 'active') return { link: link?.state ?? 'none', remote: 'not asked' };
  const { serviceSubscriptionId: id } = row;
  if (id === null) return { link: 'active', remote: row.state === 'pending' ? 'being made' : 'gone' };
  try {
    const remote = await callService(bot, link.id, (token) => bot.service.getSubscription(token, id));
    return { link: 'active', remote: remoteFrom(remote, bot.config.publicUrl) };
  } catch (error) {
    const failure = serviceFailure(error);
    if (!failure) throw error;
    if (failure.kind === 'unauthorized') return { link: 'relink', remote: 'not asked' };
    return { link: 'active', remote: remoteAfter(failure) };
  }
}

function remoteFrom({ status, callbackUrl }: Remote, publicUrl: string): findings.RemoteState {
  const isHere = callbackUrl === null || callbackUrl.startsWith(`${publicUrl}/`);
  if (!isHere) return 'elsewhere';
  return isOddStatus(status) ? { odd: status } : 'fine';
}

function remoteAfter({ kind, forPerson }: ServiceError): findings.RemoteState {
  if (kind === 'not-found') return 'gone';
  return kind === 'forbidden' ? kind : { error: forPerson };
}

type Lane = Awaited<ReturnType<typeof lanes.find>>;

/** The state of a channel, apart from its subscriptions. */
type ChannelCheck = { readonly lane: Lane; readonly findings: readonly findings.Finding[] };

/** Checks a channel's current state. Changes nothing. */
export async function checkChannel(bot: Bot, context: CommandContext): Promise<ChannelCheck> {
  const { db, slack, clock } = bot;
  const channel = channelOf(context);
  const now = clock.now();
  const [postable, lane, waiting, stuck, botName, off] = await Promise.all([
    slack.mayPost(channel),
    lanes.find(db, channel),
    traces.waiting(db, channel),
    stuckChannels(db, { now, limit: 1, only: channel }),
    slack.botNameOf(context.person),
    // Without the token, `posting` says what is wrong.
    slack.featuresOff(context.person).catch(() => null),
  ]);
  return {
    lane,
    findings: [
      findings.posting(postable, { botName, personal: isDirect(channel.channelId) }),
      ...laneFindings(lane, postable === 'yes', now),
      ...waiting.flatMap(({ state, reason, count, oldest }) => {
        if (state === 'dead') return findings.dead(count, reason ?? 'unknown');
        return reason === null ? findings.waiting(count, oldest, stuck.length > 0) : [];
      }),
      ...(off === null ? [] : [findings.features(off)]),
    ],
  };
}

function laneFindings(lane: Lane, isOpen: boolean, now: Date): findings.Finding[] {
  if (lane === null) return [];
  const { pausedReason, mutedUntil, quiet, notBefore, failures, setbacks } = lane;
  return [
    ...(pausedReason === null ? [] : [findings.closed(pausedReason, isOpen)]),
    ...(mutedUntil !== null && mutedUntil > now ? [findings.muted(mutedUntil)] : []),
    ...(quiet ? [findings.quiet(quiet, quietNow(lane, now))] : []),
    ...(notBefore !== null && notBefore > now && setbacks === 0
      ? [findings.delayed(notBefore, failures)]
      : []),
  ];
}
