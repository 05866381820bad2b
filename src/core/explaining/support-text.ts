import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { Channel } from '../model/people.ts';
import type { ChannelCheck } from './check-channel.ts';
import type { SubscriptionCheck } from './check-subscription.ts';

/** The check results that support needs. */
type SupportFacts = {
  readonly channel: Channel;
  readonly check: ChannelCheck;
  readonly checks: readonly SubscriptionCheck[];
  readonly posts: ReadonlyMap<string, Date>;
  /** All subscriptions of the channel, including unchecked ones. */
  readonly count: number;
  readonly now: Date;
};

/**
 * Formats the state of a channel for support, one fact per line. Contains only states, counts, times and the bot's own ids: no name,
 * address, path or filter, no id of a person or project, and no text from the service except a state.
 */
export function supportText({ channel, check, checks, posts, count, now }: SupportFacts): string[] {
  const { postable, lane, waiting } = check;
  return [
    `time ${now.toISOString()}`,
    `enterprise ${channel.enterpriseId ?? 'none'}, team ${channel.teamId}, channel ${channel.channelId}`,
    `may post: ${postable}`,
    `lane: ${laneWords(lane)}`,
    ...waiting.map(
      (each) =>
        `events ${each.state}${each.reason === null ? '' : ` (${wordOf(each.reason)})`}: ${each.count}, oldest ${at(each.oldest)}`,
    ),
    `subscriptions: ${count}`,
    ...checks.map((each) => subscriptionWords(each, posts.get(each.row.id) ?? null)),
  ];
}

function laneWords(lane: ChannelCheck['lane']): string {
  if (lane === null) return 'never used';
  const { pausedReason, mutedUntil, notBefore, failures, setbacks, lastPostAt } = lane;
  return [
    pausedReason === null ? 'open' : `closed (${wordOf(pausedReason)})`,
    `muted until ${at(mutedUntil)}`,
    `quiet from ${at(lane.quietFrom)} until ${at(lane.quietUntil)}`,
    `not before ${at(notBefore)}`,
    `failures ${failures}`,
    `setbacks ${setbacks}`,
    `last post ${at(lastPostAt)}`,
  ].join(', ');
}

function subscriptionWords({ row, link, remote }: SubscriptionCheck, lastPost: Date | null): string {
  const { filters, health } = row;
  return [
    `subscription ${row.id}`,
    `${row.target.kind}${row.comprehensive ? ' comprehensive' : ''}`,
    `${row.state}${row.reason === null ? '' : ` (${wordOf(row.reason)})`}`,
    `link ${link}`,
    `record ${row.serviceSubscriptionId ?? 'none'} ${remoteWords(remote)}`,
    `checked ${health?.checkedAt ?? 'never'}, failed ${health?.failedChecks ?? 0}, odd ${health?.oddChecks ?? 0}`,
    `filters ${filterWords(filters)}`,
    `delivery ${row.delivery.when}${row.threads ? ' threads' : ''}`,
    `made ${at(row.createdAt)}`,
    `last event ${at(row.lastEventAt)}`,
    `last post ${at(lastPost)}`,
  ].join(', ');
}

function remoteWords(remote: SubscriptionCheck['remote']): string {
  return remote.kind === 'odd' ? `odd (${wordOf(remote.status)})` : remote.kind;
}

function filterWords({ only, paths, by, notBy }: Subscription['filters']): string {
  return `${only.length} types ${paths.length} paths ${by.length} by ${notBy.length} not by`;
}

/** Errors and states from outside are a word or two; anything longer may be a sentence with a name in it. */
function wordOf(text: string): string {
  return /^[\w .:-]{1,40}$/.test(text) ? text : 'unreadable';
}

function at(time: Date | null): string {
  return time === null ? 'never' : time.toISOString();
}
