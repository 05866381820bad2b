import type { Finding, LinkStanding, RecordStanding } from '../../messages/explaining/findings.ts';
import type { Who } from '../../messages/text/copy.ts';
import type { SubscriptionRecord } from '../../service/shapes.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { CommandContext } from '../access/command-context.ts';
import { commandLine } from '../model/commands.ts';
import { unmatchedCount } from '../model/filters.ts';
import { formatRequest, toFollow } from '../model/format-request.ts';
import { isWithinLimits } from '../model/glob.ts';
import type { Link } from '../model/link.ts';
import { whoOf } from '../model/names-of.ts';
import { isPausedByPerson, pauseReasonOf, waitsForOwner } from '../model/pause-reason.ts';
import { isDirect, ownerOf, type Workspace } from '../model/people.ts';
import { type ServiceError, serviceFailure } from '../model/service-error.ts';
import { subscribedOf } from '../model/subscribed-of.ts';
import { isOddStatus } from '../model/subscription.ts';
import { whoPaused, withPaths } from '../subscribing/list-subscriptions.ts';
import type { ExplainingRoomDeps } from './explaining-deps.ts';

/** The state of a subscription, of its owner's link and of the remote subscription. */
export type SubscriptionCheck = {
  readonly row: Subscription;
  readonly link: LinkStanding;
  readonly record: RecordStanding;
  readonly findings: readonly Finding[];
};

/** Checks a subscription's current state; asks the service with its owner's link. Changes nothing. */
export type CheckSubscription = (context: CommandContext, row: Subscription) => Promise<SubscriptionCheck>;

type CheckedRecord = Pick<SubscriptionCheck, 'link' | 'record'>;

const linkLost: CheckedRecord = { link: 'relink', record: { kind: 'not asked' } };

export function makeCheckSubscription(deps: ExplainingRoomDeps): CheckSubscription {
  return async (context, row) => {
    const owner = ownerOf(row);
    const [found, who] = await Promise.all([deps.links.of(owner), named(row, row.ownerUserId)]);
    const { link, record } = await ask(row, found);
    const isReader = owner.userId === context.person.userId;
    const [state, unmatched] = await Promise.all([
      stateOf(context, row, who),
      deps.traces.unmatched(withPaths([row]), unmatchedCount),
    ]);
    // Another subscription supplies its events, so it has no link or remote subscription to check.
    if (row.fedBy !== null) return { row, link: 'active', record: { kind: 'fine' }, findings: [state] };
    const findings: Finding[] = [
      state,
      { about: 'link', owner: who, isReader, standing: link },
      { about: 'record', standing: record, retryValue: row.id },
      ...placesOf(context, row),
      ...(unmatched.size > 0 ? [{ about: 'unmatched', count: unmatchedCount } as const] : []),
      ...(isWithinLimits(row.filters.paths) ? [] : [{ about: 'too many paths' } as const]),
    ];
    return { row, link, record, findings };
  };

  function named(workspace: Workspace, userId: string): Promise<Who> {
    return whoOf(deps.profileOf, { ...workspace, userId });
  }

  async function ask(row: Subscription, link: Link | null): Promise<CheckedRecord> {
    if (link?.state !== 'active') return { link: link?.state ?? 'none', record: { kind: 'not asked' } };
    const { serviceSubscriptionId: id } = row;
    if (id === null) return { link: 'active', record: { kind: beingMade(row) ? 'being made' : 'gone' } };
    const called = await deps
      .callService(link.id, (token) => deps.service.getSubscription(token, id))
      .catch(failureIn);
    if (called instanceof Error) return standingAfter(called);
    return called === 'relink' ? linkLost : { link: 'active', record: recordFrom(row, called) };
  }

  function recordFrom(row: Subscription, { status, callbackUrl }: SubscriptionRecord): RecordStanding {
    const isHere =
      row.callbackBase === deps.publicUrl &&
      (callbackUrl === null || callbackUrl.startsWith(`${deps.publicUrl}/`));
    if (!isHere) return { kind: 'elsewhere' };
    return isOddStatus(status) ? { kind: 'odd', status } : { kind: 'fine' };
  }

  async function stateOf(context: CommandContext, row: Subscription, owner: Who): Promise<Finding> {
    const { id, state } = row;
    const reason = pauseReasonOf(row);
    const pausedBy = (await whoPaused(deps.bot, [row])).get(id);
    return {
      about: 'state',
      state,
      subscribed: subscribedOf(row),
      pause:
        reason === null
          ? undefined
          : {
              reason,
              owner,
              by: pausedBy === undefined ? undefined : await named(row, pausedBy),
            },
      botName: await deps.botNameOf(context.person),
      toFollow: toFollow(row, context.copy.commands),
      takeOverValue: waitsForOwner(row) ? id : undefined,
      resumeValue: isPausedByPerson(row) ? id : undefined,
    };
  }
}

/** Returns a warning if the service does not say which folder changes are in; the project can be followed with a path instead. */
function placesOf(
  { copy }: CommandContext,
  { channelId, target, resourceName, lacksIdPath }: Subscription,
): Finding[] {
  if (!lacksIdPath || target.kind !== 'folder') return [];
  const filters = resourceName === null ? {} : { paths: [resourceName] };
  const project = { kind: 'project', projectId: target.projectId } as const;
  const personal = isDirect(channelId) || undefined;
  const request = { act: 'subscribe', target: project, comprehensive: true, filters, personal } as const;
  return [{ about: 'places', toFollow: commandLine(formatRequest(request), copy.commands) }];
}

function beingMade({ state, previousServiceSubscriptionId }: Subscription): boolean {
  return state === 'pending' || previousServiceSubscriptionId !== null;
}

function failureIn(error: unknown): ServiceError {
  const failure = serviceFailure(error);
  if (!failure) throw error;
  return failure;
}

function standingAfter(failure: ServiceError): CheckedRecord {
  return failure.kind === 'unauthorized' ? linkLost : { link: 'active', record: recordAfter(failure) };
}

function recordAfter({ kind, forPerson }: ServiceError): RecordStanding {
  switch (kind) {
    case 'not-found':
      return { kind: 'gone' };
    case 'forbidden':
      return { kind: 'forbidden' };
    default:
      return { kind: 'no answer', forPerson };
  }
}
