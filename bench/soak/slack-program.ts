import { setTimeout as sleep } from 'node:timers/promises';
import { authorizeAs } from '../../sandbox/service/authorize-as.ts';
import type { Channel, User } from '../../sandbox/slack/directory.ts';
import type { Fault, FaultHandle } from '../../sandbox/slack/faults.ts';
import { type Message, textOf } from '../../sandbox/slack/messages.ts';
import { startPracticeSlack } from '../../sandbox/slack/practice-slack.ts';
import type { LoggedMessage } from '../../test/faults/checker.ts';
import type {
  SlackActs,
  SlackFigures,
  SlackReady,
  SlackReply,
  SlackRequest,
  SlackSettings,
  SlackSpoiling,
} from './slack-acts.ts';

/**
 * A practice Slack in its own process, so that its memory is not counted as the bot's. Of older messages only the text is kept, which is
 * all that the final check needs.
 */
const settings: SlackSettings = JSON.parse(process.argv[2] ?? '{}');
/** Milliseconds after which a message is no longer edited: bursts end within minutes. */
const asShownForMs = 10 * 60_000;
const tidyEveryMs = 20_000;
const keptCalls = 2_000;
/** The bot accepts 30 commands a minute per person. */
const betweenCommandsMs = 2_100;
const messagesAtOnce = 5_000;

const slack = await startPracticeSlack({
  signingSecret: settings.signingSecret,
  rateLimit: 'off',
  workspacePostsPerMinute: 1_000_000,
});
const { teamId } = slack.addWorkspace({ name: 'Northwind Studio', botToken: settings.botToken });
const people = settings.people.map(({ name, email }) =>
  slack.addUser({ teamId, realName: name, name, email }),
);
const channels = Array.from({ length: settings.channels }, (_, index) =>
  slack.addChannel({ name: `plans-${index + 1}`, members: people }),
);

const slow: Fault = { delayMs: settings.answerAfterMs, times: Number.POSITIVE_INFINITY };
let slowness = slack.fault(slow);
const spoilings: { how: SlackSpoiling['how']; handle: FaultHandle }[] = [];
const counted = { posts: 0, updates: 0 };
let tidied = 0;
const tidying = setInterval(tidy, tidyEveryMs);

const faults: Readonly<Record<SlackSpoiling['how'], Fault>> = {
  'asked to wait': { status: 429, retryAfter: 2 },
  error: { status: 500 },
  reset: { reset: true },
  'error after storing': { status: 500, stored: true },
  'reset after storing': { reset: true, stored: true },
  slow: { delayMs: 3_000 },
};

function spoil({ how, times }: SlackSpoiling): null {
  // The fault set first wins, so a lasting fault is set again after a new one.
  slowness.clear();
  spoilings.push({ how, handle: slack.fault({ method: 'chat.postMessage', times, ...faults[how] }) });
  slowness = slack.fault(slow);
  return null;
}

/** Drops old calls, and everything but the text of older messages. */
function tidy(): void {
  for (const { method } of slack.calls.splice(0, Math.max(0, slack.calls.length - keptCalls))) count(method);
  const before = Date.now() - asShownForMs;
  for (; tidied < slack.allMessages.length; tidied += 1) {
    const message = slack.allMessages[tidied];
    if (!message || message.postedAt > before) return;
    const { text, blocks, edits } = logged(message);
    Object.assign(message, {
      text,
      blocks,
      edits: edits.map((edit) => ({ ...edit, attachments: [] })),
      attachments: [],
      metadata: undefined,
      mentions: [],
      links: [],
    });
  }
}

function count(method: string): void {
  if (method === 'chat.postMessage') counted.posts += 1;
  if (method === 'chat.update') counted.updates += 1;
}

/** Returns a message for the checker: the text of all its versions. */
function logged(message: Message): LoggedMessage {
  const { channelId, ts, viewerId, postedAt, deletedAt, threadTs } = message;
  const earlier = message.edits.map((edit) => textOf(edit)).join('\n');
  return {
    channelId,
    ts,
    viewerId,
    postedAt,
    deletedAt,
    threadTs,
    text: textOf(message),
    blocks: [],
    edits: earlier === '' ? [] : [{ text: namesOnce(earlier), blocks: [], attachments: [], until: postedAt }],
  };
}

/** A message can be edited many times with nearly the same text. */
function namesOnce(text: string): string {
  return [...new Set(text.match(/Sheet \d{6,}\.pdf/g) ?? [])].join('\n');
}

/** Creating many subscriptions exceeds Slack's limits on looking up channels, so those are enforced only afterward. */
async function follow({ botUrl, project }: SlackActs['follow']['given']): Promise<null> {
  slack.botRequestUrl = `${botUrl}/slack/events`;
  await Promise.all(
    people.map(async (user, index) => {
      await link(user, settings.people[index]?.email ?? '');
      for (const channel of channels.filter((_, at) => at % people.length === index)) {
        await subscribe(user, channel, project);
      }
    }),
  );
  slack.rateLimit = 'strict';
  return null;
}

async function subscribe(user: User, channel: Channel, project: string): Promise<void> {
  await slack.command({ user, channel, command: '/subscribe', text: `project ${project}`, typed: true });
  try {
    await slack.waitForMessage(channel, 'to this channel', 60_000);
  } catch (error) {
    const last = slack.ephemerals(user).at(-1);
    const answer = last ? textOf(last) : 'nothing';
    throw new Error(`${channel.name} was not subscribed; the response to ${user.name} was: ${answer}`, {
      cause: error,
    });
  }
  await sleep(betweenCommandsMs);
}

/** Does what a person's browser does to link an account. */
async function link(user: User, email: string): Promise<void> {
  const [channel] = channels;
  if (!channel) return;
  await slack.command({ user, channel, command: '/plancast', text: 'link', typed: true });
  const offer = await slack.waitForEphemeral(user, 'Link', 60_000);
  const url = String(slack.button(offer, 'Link').element.url);
  const form = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: new URL(url).origin, 'content-type': 'application/x-www-form-urlencoded' },
  });
  const cookie = form.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const back = await authorizeAs(form.headers.get('location') ?? '', email);
  await fetch(back, { headers: { cookie } });
  await slack.waitForDirectMessage(user, () => slack.directMessages(user).length > 0, 60_000);
}

/** While subscriptions are being created, calls that come too fast are counted but are no offense. */
function tooFast(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind, method } of slack.violations) {
    if (kind === 'rate') counts[method] = (counts[method] ?? 0) + 1;
  }
  return counts;
}

function figures(): SlackFigures {
  tidy();
  const live = slack.calls.map(({ method }) => method);
  const spoiled: Partial<Record<SlackSpoiling['how'], number>> = {};
  for (const { how, handle } of spoilings) spoiled[how] = (spoiled[how] ?? 0) + handle.hits();
  return {
    posts: counted.posts + live.filter((method) => method === 'chat.postMessage').length,
    updates: counted.updates + live.filter((method) => method === 'chat.update').length,
    spoiled,
    ambiguous: (spoiled['error after storing'] ?? 0) + (spoiled['reset after storing'] ?? 0),
    tooFast: tooFast(),
    violations: slack.violations.length,
    memory: process.memoryUsage().rss / 1024 / 1024,
  };
}

const acts: { [Act in keyof SlackActs]: (given: SlackActs[Act]['given']) => unknown } = {
  follow,
  spoil,
  figures,
  log: ({ from }) => ({
    messages: slack.allMessages.slice(from, from + messagesAtOnce).map(logged),
    more: slack.allMessages.length > from + messagesAtOnce,
  }),
  async close() {
    clearInterval(tidying);
    await slack.close();
    return null;
  },
};

async function answer({ id, act, given }: SlackRequest): Promise<void> {
  const reply = await Promise.resolve()
    .then(() => acts[act](given as never))
    .then(
      (value): SlackReply => ({ id, ok: true, value }),
      (error: unknown): SlackReply => ({ id, ok: false, problem: String(error) }),
    );
  process.send?.(reply, () => {
    if (act === 'close') process.disconnect();
  });
}

process.on('message', (request) => void answer(request as SlackRequest));
// The parent process is gone.
process.on('disconnect', () => process.exit(0));
const ready: SlackReady = { apiUrl: slack.apiUrl, teamId, channelIds: channels.map(({ id }) => id) };
process.send?.(ready);
