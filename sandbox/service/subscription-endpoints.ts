import type { Act } from './act.ts';
import { readCreateForm, type Wanted } from './create-form.ts';
import type { PracticeData, Project, Session } from './data.ts';
import type { Deliveries } from './delivery.ts';
import { mayRead } from './permissions.ts';
import { isForm, type Received } from './received.ts';
import { json, noContent, type Reply, refusal } from './reply.ts';
import type { Place } from './resources.ts';
import type { Send } from './sender.ts';
import { listOf, recordOf } from './subscription-records.ts';
import { type Subscription, type Subscriptions, sameSubscription } from './subscriptions.ts';
import type { SwitchBoard } from './switches.ts';
import type { Grant } from './tokens.ts';

type Deps = {
  data: PracticeData;
  subscriptions: Subscriptions;
  switches: SwitchBoard;
  deliveries: Deliveries;
  act: Act;
  send: Send;
};

type Refusal = { status: number; message: string };
type Located = { place: Place; within: Project | Session };

/** Creates the subscription endpoints; each gets a request with a valid access token. */
export function makeSubscriptionEndpoints({ data, subscriptions, switches, deliveries, act, send }: Deps) {
  const refuse = (refused: Refusal): Reply => refusal(refused, switches);

  async function create(received: Received, caller: Grant, comprehensive: boolean): Promise<Reply> {
    if (!caller.app) return refuse({ status: 403, message: 'Only apps may create subscriptions.' });
    if (!isForm(received)) return refuse({ status: 415, message: 'The body must be form-encoded.' });
    const wanted = readCreateForm(received.form, switches);
    if ('invalid' in wanted)
      return refuse({ status: switches.get('invalidStatus'), message: wanted.invalid });
    const located = locate(wanted, caller, comprehensive);
    if ('status' in located) return refuse(located);
    const record = { user: caller.user, place: located.place, comprehensive, uri: wanted.uri };
    const refused = tooMany(record) ?? (await probe(wanted.uri));
    if (refused) return refuse(refused);
    const subscription = subscriptions.add(record);
    const answer = recordOf(subscription, { reference: 1, withKey: true }, switches);
    if (switches.get('deletionAtCreate') !== 'no') await deleteNow(located, caller.user);
    return json(switches.get('createStatus'), answer);
  }

  function locate(wanted: Wanted, caller: Grant, comprehensive: boolean): Located | Refusal {
    const unknown = { status: switches.get('unknownResourceStatus'), message: 'The resource was not found.' };
    if (comprehensive && (wanted.kind === 'item' || wanted.kind === 'document')) {
      const message = 'Only projects and sessions have comprehensive subscriptions.';
      return { status: switches.get('invalidStatus'), message };
    }
    const within =
      'projectId' in wanted ? data.projects.get(wanted.projectId) : data.sessions.get(wanted.sessionId);
    if (!within) return unknown;
    if (!mayRead(caller.user, within)) {
      return { status: switches.get('noPermissionStatus'), message: 'You may not read this resource.' };
    }
    const place = placeOf(wanted, within);
    return place ? { place, within } : unknown;
  }

  function tooMany(
    record: Pick<Subscription, 'user' | 'place' | 'comprehensive' | 'uri'>,
  ): Refusal | undefined {
    const mine = subscriptions.ofUser(record.user);
    const most = switches.get('subscriptionMaximum');
    if (most > 0 && mine.length >= most) {
      return { status: 403, message: `You may have ${most} subscriptions.` };
    }
    if (switches.get('sameAgainStatus') === '409' && mine.some((one) => sameSubscription(one, record))) {
      return { status: 409, message: 'This subscription exists already.' };
    }
    return;
  }

  async function probe(uri: string): Promise<Refusal | undefined> {
    const method = switches.get('callbackProbe');
    if (method === 'none') return;
    const answer = await send({ uri, method, headers: {}, body: '' }).catch(() => undefined);
    const isFine = answer !== undefined && answer.status >= 200 && answer.status < 300;
    return isFine
      ? undefined
      : { status: switches.get('invalidStatus'), message: 'The Uri does not answer.' };
  }

  async function deleteNow({ place, within }: Located, asking: string): Promise<void> {
    const by = [...within.members].find(([, permission]) => permission === 'write')?.[0] ?? asking;
    switch (place.kind) {
      case 'project':
        act(by, { action: 'delete-project', project: place.projectId });
        break;
      case 'item':
        act(by, { action: 'delete-item', project: place.projectId, item: place.itemId });
        break;
      case 'session':
        act(by, { action: 'delete-session', session: place.sessionId });
        break;
      case 'document':
        act(by, { action: 'delete-document', session: place.sessionId, document: place.documentId });
        break;
    }
    await deliveries.settled();
  }

  function mine({ user }: Grant): Subscription[] {
    const home = data.users.get(user)?.primeId;
    const everywhere = switches.get('listPrime') === 'every prime';
    return subscriptions.ofUser(user).filter(({ place }) => everywhere || place.primeId === home);
  }

  function list(caller: Grant): Reply {
    const both = switches.get('plainListHolds') === 'both kinds';
    return json(
      200,
      listOf(
        mine(caller).filter(({ comprehensive }) => both || !comprehensive),
        switches,
      ),
    );
  }

  function listComprehensive(caller: Grant): Reply {
    const answer = listOf(
      mine(caller).filter(({ comprehensive }) => comprehensive),
      switches,
    );
    switch (switches.get('comprehensiveList')) {
      case 'as the list':
        return json(200, answer);
      case 'bare array':
        return json(200, answer.Subscriptions);
      case '$values':
        return json(200, { ...answer, Subscriptions: { $id: '0', $values: answer.Subscriptions } });
      case 'empty object':
        return json(200, {});
      case 'not JSON':
        return { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>Subscriptions</p>' };
      case '404':
        return refuse({ status: 404, message: 'Not found.' });
    }
  }

  /** Calls `then` with the caller's subscription of this id, or returns the error. */
  function withOwn(id: string, caller: Grant, then: (subscription: Subscription) => Reply): Reply {
    const subscription = subscriptions.byId(Number(id));
    if (!subscription) {
      const status = subscriptions.everMade(Number(id)) ? switches.get('goneStatus') : 404;
      return refuse({ status, message: 'The subscription was not found.' });
    }
    if (subscription.user !== caller.user) {
      const status = switches.get('othersSubscriptionStatus');
      return refuse({ status, message: 'This subscription is not yours.' });
    }
    return then(subscription);
  }

  return {
    create,
    list,
    listComprehensive,
    get: (id: string, caller: Grant): Reply =>
      withOwn(id, caller, (subscription) =>
        json(200, recordOf(subscription, { reference: 1, withKey: false }, switches)),
      ),
    remove: (id: string, caller: Grant): Reply =>
      withOwn(id, caller, (subscription) => {
        subscriptions.remove(subscription);
        return noContent;
      }),
  };
}

function placeOf(wanted: Wanted, within: Project | Session): Place | undefined {
  const { primeId } = within;
  if (wanted.kind === 'project') return { kind: 'project', primeId, projectId: wanted.projectId };
  if (wanted.kind === 'session') return { kind: 'session', primeId, sessionId: wanted.sessionId };
  if (wanted.kind === 'item' && 'items' in within) {
    const { projectId, itemId, itemKind } = wanted;
    const exists = within.items.get(itemId)?.kind === itemKind;
    return exists ? { kind: 'item', primeId, projectId, itemId } : undefined;
  }
  if (wanted.kind === 'document' && 'documents' in within && within.documents.has(wanted.documentId)) {
    return { kind: 'document', primeId, sessionId: wanted.sessionId, documentId: wanted.documentId };
  }
  return;
}
