import type { PracticeService } from '../service/practice-service.ts';
import { type Fields, fieldsOf } from '../slack/json.ts';
import type { PracticeSlack } from '../slack/practice-slack.ts';
import type { LookingAt } from './page/looking-at.ts';
import type { Scene } from './page/screen.ts';
import type { Acted } from './page-routes.ts';
import { fetchState, type ServiceState, type SlackState } from './practice-states.ts';
import type { Progress } from './progress.ts';

type PlayDeps = {
  readonly slack: PracticeSlack;
  readonly service: PracticeService;
  readonly progress: () => Progress;
  /** Called whenever something is different. */
  readonly changed: () => void;
};

/** What a person at the page may do in Slack, besides looking. */
const slackActs = new Set([
  'command',
  'click',
  'submit',
  'close',
  'suggest',
  'home',
  'invite',
  'remove',
  'shortcut',
]);

/** Makes what the page shows and does out of the two practice servers. */
export function makePlay({ slack, service, progress, changed }: PlayDeps) {
  let typed = false;
  service.log.on(changed);
  void follow(`${slack.origin}/practice/stream`, changed);

  function latestFor(userId: string): Map<string, string> {
    const latest = new Map<string, string>();
    for (const { channelId, viewerId, deletedAt, ts } of slack.allMessages) {
      const isSeen = deletedAt === undefined && (viewerId === undefined || viewerId === userId);
      if (isSeen) latest.set(channelId, ts);
    }
    return latest;
  }

  async function callShortcut({ user, callbackId, messageId }: Fields): Promise<Fields> {
    const message = slack.allMessages.find(({ id }) => id === messageId);
    const { status, failure } = await slack.shortcut({
      user: String(user),
      callbackId: String(callbackId),
      message,
    });
    return { status, failure };
  }

  return {
    /** All that the screen of one person is drawn from. */
    async sceneFor({ user, channel }: LookingAt): Promise<Scene> {
      const slackAddress = new URL('/practice/state', slack.origin);
      slackAddress.search = new URLSearchParams({ user, channel }).toString();
      const [slackState, serviceState] = await Promise.all([
        fetchState<SlackState>(slackAddress),
        fetchState<ServiceState>(new URL('/practice/state', service.authUrl)),
      ]);
      return {
        slack: slackState,
        service: serviceState,
        progress: progress(),
        latest: latestFor(user),
        done: {
          typed,
          linked: service.log.of('token').length > 0,
          changed: serviceState.deliveries.length > 0,
        },
        now: new Date(),
      };
    },
    async actInSlack(act: string, body: unknown): Promise<Acted> {
      if (!slackActs.has(act)) return { status: 404, body: { error: `Nobody can "${act}" here.` } };
      const { isReady, failure } = progress();
      if (!isReady) return { status: 409, body: { error: failure ?? 'The bot is still starting.' } };
      if (act === 'command') typed = true;
      if (act === 'shortcut') return { status: 200, body: await callShortcut(fieldsOf(body)) };
      return post(new URL(`/practice/${act}`, slack.origin), body);
    },
    actAtService: (body: unknown): Promise<Acted> => post(new URL('/practice/act', service.authUrl), body),
  };
}

async function post(address: URL, body: unknown): Promise<Acted> {
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() };
}

/** Calls `changed` for every event of a stream, until its server closes it. */
async function follow(address: string, changed: () => void): Promise<void> {
  try {
    const { body } = await fetch(address);
    for await (const _event of body ?? []) changed();
  } catch {
    // The server was closed, which ends the demo.
  }
}
