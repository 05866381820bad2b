import {
  type FormFaults,
  type FormPreview,
  faultyFields,
  type History,
  nothingToPreview,
} from '../../messages/subscribing/subscribe-form.ts';
import type { Events } from '../../store/tables/events.ts';
import type { Subscription, Subscriptions } from '../../store/tables/subscriptions.ts';
import type { ChannelsOf } from '../access/channels-of.ts';
import type { CommandContext } from '../access/command-context.ts';
import { commandLine } from '../model/commands.ts';
import { covers } from '../model/covers.ts';
import { leftOut } from '../model/filters.ts';
import { formatRequest } from '../model/format-request.ts';
import type { MayPost } from '../model/may-post.ts';
import type { Notification } from '../model/notification.ts';
import type { Channel, Workspace } from '../model/people.ts';
import type { SubscribeRequest } from '../model/request.ts';
import type { Subscribed } from '../model/subscribed-of.ts';
import { subscribedOf } from '../model/subscribed-of.ts';
import type { Delivery, Filters, PersonName, Target } from '../model/subscription.ts';
import { deliveryFrom, filtersFrom, noFilters } from '../model/typed-settings.ts';
import type { FormContext, FormUnderstood } from './form-context.ts';

export type FormPreviewDeps = {
  readonly subscriptions: Pick<Subscriptions, 'ofChannel' | 'ofTarget' | 'ofWorkspace'>;
  readonly events: Pick<Events, 'recentOf'>;
  readonly channelsOf: ChannelsOf;
  readonly mayPost: MayPost;
  /** The bot's name in Slack, for `/invite`. */
  readonly botNameOf: (workspace: Workspace) => Promise<string>;
  readonly emailsOf: (workspace: Workspace, userId: string) => Promise<readonly string[]>;
  readonly namesIn: (channel: Channel, filters: Filters) => Promise<ReadonlyMap<string, string>>;
};

/** Works out what the form tells about what is in it so far. */
export type PreviewForm = (
  context: CommandContext,
  form: { readonly formContext: FormContext; readonly understood: FormUnderstood },
) => Promise<FormPreview>;

/** Events that are looked back on. */
const eventsShown = 50;
/** Rows read for them: one change is a row for each subscription that was told of it. */
const rowsRead = 4 * eventsShown;

export function makeFormPreview(deps: FormPreviewDeps): PreviewForm {
  return async (context, { formContext, understood }) => {
    const { channelId, request, faults } = understood;
    // What is merely missing yet is no fault while somebody is still filling the form in.
    const fault = notUnderstood(faults);
    const channel = channelId === null ? null : { ...context.person, channelId };
    // In a channel that was given, the bot could post when the form was opened.
    const obstacle = channel && formContext.channelId === null ? await obstacleIn(channel) : null;
    const target = request?.target;
    if (!request || target === undefined || target.kind === 'unknown') {
      return { ...nothingToPreview, fault, obstacle };
    }
    const before =
      formContext.change === null
        ? null
        : await deps.subscriptions.ofWorkspace(context.person, formContext.change.id);
    const wanted = { ...request, target };
    const told = await notify(context, wanted, { before, formContext });
    const covering = channel && formContext.change === null ? await coveringIn(channel, target) : null;
    return { told, fault, obstacle, covering };
  };

  async function obstacleIn(channel: Channel): Promise<FormPreview['obstacle']> {
    const why = await deps.mayPost(channel);
    return why === 'yes' ? null : { why, botName: await deps.botNameOf(channel) };
  }

  async function coveringIn(channel: Channel, target: Target): Promise<Subscribed | null> {
    // What is there already is changed, and not added beside the other.
    if (await deps.subscriptions.ofTarget(channel, target)) return null;
    const wider = (await deps.subscriptions.ofChannel(channel)).find((row) => covers(row, target));
    return wider ? subscribedOf(wider) : null;
  }

  async function notify(
    context: CommandContext,
    request: SubscribeRequest & { readonly target: Target },
    { before, formContext }: { before: Subscription | null; formContext: FormContext },
  ): Promise<NonNullable<FormPreview['told']>> {
    const { person } = context;
    const { target, comprehensive } = request;
    const filters = filtersFrom(request, before?.filters ?? noFilters);
    const delivery = deliveryFrom(request, before?.delivery ?? live, formContext.zone);
    const threads = request.threads ?? before?.threads ?? false;
    const names = await deps.namesIn({ ...person, channelId: '' }, filters);
    return {
      subscribed: { target, comprehensive, name: before?.resourceName ?? null },
      settings: { filters, delivery, threads, names },
      history: await historyOf(context, { target, comprehensive, filters }),
      asTyped: commandLine(formatRequest(before ? request : brief(request)), formContext.names),
    };
  }

  /** Null where it is not known which channels the person may see. */
  async function historyOf(
    { person }: CommandContext,
    { target, comprehensive, filters }: { target: Target; comprehensive: boolean; filters: Filters },
  ): Promise<History | null> {
    const channels = await deps.channelsOf(person);
    if (channels === null) return null;
    const kept = await deps.events.recentOf(person, target, [...channels], rowsRead);
    const last = distinct(kept)
      .filter((notification) => isOf(target, notification))
      .slice(0, eventsShown);
    const isPerson = await knowPeople(person, filters);
    const posted = last.filter(
      (notification) =>
        isReached(target, comprehensive, notification) && leftOut(filters, notification, isPerson) === null,
    );
    return { of: last.length, posted: posted.length };
  }

  async function knowPeople(workspace: Workspace, { by, notBy }: Filters) {
    const ids = new Set([...by, ...notBy].flatMap((who) => ('userId' in who ? [who.userId] : [])));
    const found = [...ids].map(async (id) => [id, await deps.emailsOf(workspace, id)] as const);
    const emails = new Map(await Promise.all(found));
    return (email: string, who: PersonName) =>
      'email' in who ? who.email.toLowerCase() === email : (emails.get(who.userId)?.includes(email) ?? false);
  }
}

function notUnderstood(faults: FormFaults): FormPreview['fault'] {
  for (const field of faultyFields) {
    const word = faults[field]?.word;
    if (word != null) return { field, word };
  }
  return null;
}

const live: Delivery = { when: 'live' };

/** Without what is so anyway where nothing is said: shorter to type, and the same. */
function brief({ filters, when, threads, ...request }: SubscribeRequest): SubscribeRequest {
  const some = <T>(list: readonly T[] | undefined) => (list?.length ? list : undefined);
  return {
    ...request,
    filters: {
      only: some(filters.only),
      paths: some(filters.paths),
      by: some(filters.by),
      notBy: some(filters.notBy),
    },
    when: when?.when === 'live' ? undefined : when,
    threads: threads || undefined,
  };
}

/** One change came once for each record at the service that told it. */
function distinct(
  kept: readonly { readonly fingerprint: string | null; readonly notification: Notification }[],
): Notification[] {
  const seen = new Map<string, Notification>();
  for (const { fingerprint, notification } of kept) {
    const key = `${fingerprint ?? notification.id} ${notification.happenedAt}`;
    if (!seen.has(key)) seen.set(key, notification);
  }
  return [...seen.values()];
}

/** Whether an event counts among those of a resource, whichever part of it is followed. */
function isOf(target: Target, notification: Notification): boolean {
  switch (target.kind) {
    case 'project':
      return notification.projectId === target.projectId;
    case 'session':
      return notification.sessionId === target.sessionId;
    case 'folder':
    case 'file':
      return notification.projectId === target.projectId && notification.itemId === target.itemId;
    case 'document':
      return notification.sessionId === target.sessionId && notification.itemId === target.documentId;
  }
}

/** Whether the service would tell it (service interface: what each kind of subscription receives). */
function isReached(target: Target, comprehensive: boolean, { resourceType }: Notification): boolean {
  switch (target.kind) {
    case 'project':
      return comprehensive || resourceType === 'Projects';
    case 'session':
      return comprehensive || resourceType === 'Sessions';
    case 'folder':
    case 'file':
    case 'document':
      return true;
  }
}
