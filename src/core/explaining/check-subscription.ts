import type { Finding, LinkState, RemoteState } from '../../messages/explaining/findings.ts';
import type { Remote } from '../../service/shapes.ts';
import * as links from '../../store/tables/links.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { Bot } from '../bot.ts';
import { findTroubles } from '../home/find-troubles.ts';
import type { Link } from '../model/link.ts';
import { pauseReasonOf } from '../model/pause-reason.ts';
import { isDirect, ownerOf, whoOf } from '../model/people.ts';
import { ServiceError, serviceFailure } from '../model/service-error.ts';
import { isOddStatus, subscribedOf } from '../model/subscription.ts';
import { callService } from '../upstream/call-service.ts';

/** The state of a subscription, of its owner's link and of the remote subscription. */
export type SubscriptionCheck = {
  readonly row: Subscription;
  readonly link: LinkState;
  readonly remote: RemoteState;
  readonly findings: readonly Finding[];
};

type CheckedRemote = Pick<SubscriptionCheck, 'link' | 'remote'>;

const linkLost: CheckedRemote = { link: 'relink', remote: { kind: 'not asked' } };

/** Checks a subscription's current state; asks the service with its owner's link. Changes nothing. */
export async function checkSubscription(
  bot: Bot,
  context: CommandContext,
  row: Subscription,
): Promise<SubscriptionCheck> {
  const owner = ownerOf(row);
  const { profileOf, botNameOf } = bot.slack;
  const [found, who, by, botName, [troubles = []]] = await Promise.all([
    links.of(bot.db, owner),
    whoOf(profileOf, owner),
    row.pausedBy ? whoOf(profileOf, { ...owner, userId: row.pausedBy }) : undefined,
    botNameOf(context.person),
    findTroubles(bot, [row]),
  ]);
  const { link, remote } = await ask(bot, row, found);
  const reason = pauseReasonOf(row);
  const pause = reason === null ? undefined : { reason, owner: who, by };
  const named = { id: row.id, subscribed: subscribedOf(row) };
  const personal = isDirect(row.channelId);
  const findings: Finding[] = [
    { about: 'state', state: row.state, row: named, pause, botName },
    { about: 'link', owner: who, isReader: owner.userId === context.person.userId, state: link },
    { about: 'remote', state: remote, row: named },
    ...(row.target.kind === 'file' && !row.comprehensive ? [{ about: 'versions' } as const] : []),
    ...troubles.map((trouble) => ({ about: 'trouble', trouble, row: named, personal }) as const),
  ];
  return { row, link, remote, findings };
}

/** Returns when something last came for a subscription and was last posted. `posts`: the times of last posts, by id. */
export function timesOf(row: Subscription, posts: ReadonlyMap<string, Date>): Finding[] {
  return [
    { about: 'last event', at: row.lastEventAt },
    { about: 'last post', at: posts.get(row.id) ?? null },
  ];
}

async function ask(bot: Bot, row: Subscription, link: Link | null): Promise<CheckedRemote> {
  if (link?.state !== 'active') return { link: link?.state ?? 'none', remote: { kind: 'not asked' } };
  const { serviceSubscriptionId: id } = row;
  if (id === null)
    return { link: 'active', remote: { kind: row.state === 'pending' ? 'being made' : 'gone' } };
  const called = await callService(bot, link.id, (token) => bot.service.getSubscription(token, id)).catch(
    failureIn,
  );
  if (called instanceof ServiceError) return checkedAfter(called);
  return called === 'relink'
    ? linkLost
    : { link: 'active', remote: remoteFrom(called, bot.config.publicUrl) };
}

function remoteFrom({ status, callbackUrl }: Remote, publicUrl: string): RemoteState {
  const isHere = callbackUrl === null || callbackUrl.startsWith(`${publicUrl}/`);
  if (!isHere) return { kind: 'elsewhere' };
  return isOddStatus(status) ? { kind: 'odd', status } : { kind: 'fine' };
}

function failureIn(error: unknown): ServiceError {
  const failure = serviceFailure(error);
  if (!failure) throw error;
  return failure;
}

function checkedAfter(failure: ServiceError): CheckedRemote {
  return failure.kind === 'unauthorized' ? linkLost : { link: 'active', remote: remoteAfter(failure) };
}

function remoteAfter({ kind, forPerson }: ServiceError): RemoteState {
  switch (kind) {
    case 'not-found':
      return { kind: 'gone' };
    case 'forbidden':
      return { kind: 'forbidden' };
    default:
      return { kind: 'no answer', forPerson };
  }
}
