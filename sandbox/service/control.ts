import * as z from 'zod';
import type { Act } from './act.ts';
import { practiceAction } from './actions.ts';
import type { Item, PracticeData, Project } from './data.ts';
import type { Deliveries } from './delivery.ts';
import { PracticeError } from './practice-error.ts';
import type { Received } from './received.ts';
import { json, noContent, type Reply } from './reply.ts';
import { hyphenated, resourcePath } from './resources.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { SwitchBoard } from './switches.ts';
import { switches as switchTable } from './switches.ts';

type Deps = {
  act: Act;
  addresses: () => { baseUrl: string; authUrl: string };
  data: PracticeData;
  deliveries: Deliveries;
  now: () => Date;
  subscriptions: Subscriptions;
  switches: SwitchBoard;
};

const RECENT_DELIVERIES = 50;
const statuses = { unknown: 404, denied: 403, invalid: 400 } as const;
const practised = z.intersection(z.object({ as: z.string() }), practiceAction);
const switched = z.record(z.string(), z.union([z.string(), z.number()]));

/**
 * Creates the API for the page that shows the service to people: GET /practice/state, POST /practice/act and POST /practice/switches, all
 * JSON. It exposes no Key, no token, and only the origin of a Uri.
 */
export function makeControl({ act, addresses, data, deliveries, now, subscriptions, switches }: Deps) {
  function state(): Reply {
    return json(200, {
      now: now(),
      ...addresses(),
      users: [...data.users.values()],
      primes: [...data.primes.values()],
      projects: [...data.projects.values()].map((project) => ({
        id: hyphenated(project.id),
        primeId: project.primeId,
        name: project.name,
        members: Object.fromEntries(project.members),
        tree: treeOf(project),
      })),
      sessions: [...data.sessions.values()].map((session) => ({
        id: hyphenated(session.id),
        primeId: session.primeId,
        name: session.name,
        status: session.status,
        expires: session.expires,
        members: Object.fromEntries(session.members),
        documents: [...session.documents.values()],
      })),
      subscriptions: subscriptions.all().map((one) => ({
        id: one.id,
        user: one.user,
        resource: resourcePath(one.place, switches),
        comprehensive: one.comprehensive,
        status: one.status,
        callbackOrigin: new URL(one.uri).origin,
      })),
      deliveries: deliveries
        .all()
        .slice(-RECENT_DELIVERIES)
        .map(({ id, subscriptionId, state: how, attempts, notifications }) => ({
          id,
          subscriptionId,
          state: how,
          attempts: attempts.map(({ at, status }) => ({ at, status })),
          notifications,
        })),
      switches: switches.values(),
      switchTable,
    });
  }

  function perform(body: unknown): Reply {
    const parsed = practised.safeParse(body);
    if (!parsed.success) {
      throw new PracticeError('invalid', z.prettifyError(parsed.error));
    }
    return json(200, act(parsed.data.as, parsed.data));
  }

  function setSwitches(body: unknown): Reply {
    const parsed = switched.safeParse(body);
    if (!parsed.success) throw new PracticeError('invalid', z.prettifyError(parsed.error));
    switches.setUnchecked(parsed.data);
    return json(200, switches.values());
  }

  const posts: Readonly<Partial<Record<string, (body: unknown) => Reply>>> = {
    '/practice/act': perform,
    '/practice/switches': setSwitches,
  };

  function answer(received: Received): Reply {
    if (received.method === 'GET' && received.path === '/practice/state') return state();
    const post = received.method === 'POST' ? posts[received.path] : undefined;
    if (!post) return json(404, { error: 'Not found.' });
    // A page of another origin can post a form or plain text without a preflight, but not JSON.
    if (received.type !== 'application/json') return json(415, { error: 'Send JSON.' });
    try {
      return post(parsedJson(received.body));
    } catch (error) {
      if (!(error instanceof PracticeError)) throw error;
      return json(statuses[error.code], { error: error.message });
    }
  }

  /** Returns undefined if the request is not for this API. */
  return (received: Received): Reply | undefined => {
    if (!received.path.startsWith('/practice/')) return;
    const reply = received.method === 'OPTIONS' ? noContent : answer(received);
    return { ...reply, headers: { ...reply.headers, ...corsHeaders(received) } };
  };
}

/** Pages on this machine can use the API from the browser, whatever their port. */
function corsHeaders(received: Received): Record<string, string> {
  const origin = received.header('origin') ?? '';
  if (!/^http:\/\/(127\.0\.0\.1|localhost)(:\d+)?$/.test(origin)) return {};
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-headers': 'content-type',
    vary: 'origin',
  };
}

type Branch = { id: string; name: string; kind: Item['kind']; version: number; children: Branch[] };

function treeOf(project: Project): Branch | undefined {
  const branches = new Map<string, Branch>();
  for (const { id, name, kind, version } of project.items.values()) {
    branches.set(id, { id, name, kind, version, children: [] });
  }
  for (const { id, parentId } of project.items.values()) {
    const branch = branches.get(id);
    if (branch && parentId !== null) branches.get(parentId)?.children.push(branch);
  }
  return branches.get(project.rootId);
}

/** Returns the parsed JSON, or undefined (which no schema here accepts) if the text is not JSON. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return;
  }
}
