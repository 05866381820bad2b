import type { Finding, LinkState, RemoteState } from '../../messages/explaining/findings.ts';
import type { Who } from '../../messages/text/copy.ts';
import type { Remote } from '../../service/shapes.ts';
import * as links from '../../store/tables/links.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as traces from '../../store/tables/traces.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { Bot } from '../bot.ts';
import { withPaths } from '../home/list-subscriptions.ts';
import { unmatchedCount } from '../model/filters.ts';
import { isWithinLimits } from '../model/glob.ts';
import type { Link } from '../model/link.ts';
import { whoOf } from '../model/names-of.ts';
import { isPausedByPerson, pauseReasonOf, waitsForOwner } from '../model/pause-reason.ts';
import { isDirect, ownerOf, type Workspace } from '../model/people.ts';
import { ServiceError, serviceFailure } from '../model/service-error.ts';
import { subscribedOf } from '../model/subscribed-of.ts';
import { isOddStatus } from '../model/subscription.ts';
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
  const [found, who] = await Promise.all([links.of(bot.db, owner), named(bot, row, row.ownerUserId)]);
  const { link, remote } = await ask(bot, row, found);
  const isReader = owner.userId === context.person.userId;
  const [state, unmatched] = await Promise.all([
    stateOf(bot, context, row, who),
    traces.unmatched(bot.db, withPaths([row]), unmatchedCount),
  ]);
  const edited = { id: row.id, subscribed: subscribedOf(row) };
  const findings: Finding[] = [
    state,
    { about: 'link', owner: who, isReader, state: link },
    { about: 'remote', state: remote, retryValue: row.id },
    ...placesOf(row),
    ...versionsOf(row),
    ...(unmatched.size > 0 ? [{ about: 'unmatched', count: unmatchedCount, row: edited } as const] : []),
    ...(isWithinLimits(row.filters.paths) ? [] : [{ about: 'too many paths', row: edited } as const]),
  ];
  return { row, link, remote, findings };
}

function named({ slack }: Bot, workspace: Workspace, userId: string): Promise<Who> {
  return whoOf(slack.profileOf, { ...workspace, userId });
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

async function stateOf(bot: Bot, context: CommandContext, row: Subscription, owner: Who): Promise<Finding> {
  const { id, state } = row;
  const reason = pauseReasonOf(row);
  return {
    about: 'state',
    state,
    subscribed: subscribedOf(row),
    pause:
      reason === null
        ? undefined
        : { reason, owner, by: row.pausedBy ? await named(bot, row, row.pausedBy) : undefined },
    botName: await bot.slack.botNameOf(context.person),
    takeOverValue: waitsForOwner(row) ? id : undefined,
    resumeValue: isPausedByPerson(row) ? id : undefined,
  };
}

/** Returns a warning if the service does not say which folder or file changes are about; the project can be followed with a path instead. */
function placesOf({ channelId, target, resourceName, lacksIdPath }: Subscription): Finding[] {
  if (!lacksIdPath || !('itemId' in target)) return [];
  const filters = resourceName === null ? {} : { paths: [resourceName] };
  const project = { kind: 'project', projectId: target.projectId } as const;
  const personal = isDirect(channelId) || undefined;
  const request = { act: 'subscribe', target: project, comprehensive: true, filters, personal } as const;
  return [{ about: 'places', kind: target.kind, instead: request }];
}

/** Says so if the new versions of a file may not be reported. */
function versionsOf({ target, comprehensive }: Subscription): Finding[] {
  return target.kind === 'file' && !comprehensive ? [{ about: 'versions' }] : [];
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
