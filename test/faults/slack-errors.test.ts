import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Channel, User } from '../../sandbox/slack/directory.ts';
import {
  deliver,
  lookFromOutside,
  notificationFor,
  type Outside,
  type Upstream,
  until,
} from '../contract/outside.ts';
import { type Stage, setStage } from '../support/stage.ts';

/** What each Slack error means, according to the documentation of `chat.postMessage` and `conversations.open`. */
const codes = {
  perhaps: [
    'internal_error',
    'fatal_error',
    'service_unavailable',
    'request_timeout',
    'duplicate_channel_not_found',
    'duplicate_message_not_found',
  ],
  wait: ['ratelimited', 'rate_limited'],
  channelClosed: [
    'channel_not_found',
    'is_archived',
    'not_in_channel',
    'restricted_action',
    'restricted_action_read_only_channel',
    'restricted_action_thread_only_channel',
    'restricted_action_non_threadable_channel',
    'no_permission',
    'ekm_access_denied',
    'messages_tab_disabled',
    'cannot_dm_bot',
    'user_disabled',
    'user_not_found',
    'user_not_visible',
  ],
  workspaceClosed: [
    'invalid_auth',
    'not_authed',
    'token_expired',
    'token_revoked',
    'account_inactive',
    'missing_scope',
    'access_denied',
    'accesslimited',
    'team_access_not_granted',
    'enterprise_is_restricted',
    'two_factor_setup_required',
    'not_allowed_token_type',
  ],
  refused: [
    'invalid_blocks',
    'invalid_blocks_format',
    'msg_blocks_too_long',
    'msg_too_long',
    'no_text',
    'too_many_attachments',
    'metadata_too_large',
    'invalid_metadata_format',
    'markdown_text_conflict',
    'invalid_arguments',
    'invalid_arg_name',
    'invalid_array_arg',
    'invalid_charset',
    'invalid_form_data',
    'invalid_post_type',
    'missing_post_type',
    'method_deprecated',
    'deprecated_endpoint',
    'as_user_not_supported',
  ],
  threadGone: [
    'cannot_reply_to_message',
    'thread_not_found',
    'message_not_found',
    'restricted_action_thread_locked',
  ],
} as const;

type Room = { readonly channel: Channel; readonly up: Upstream; readonly owner: User };

const plain = '/subscribe project 412-873-550';
const threaded = `${plain} threads on`;

/** Sets a new stage with channels that are subscribed beforehand, because these tests are not about subscribing. */
async function setRooms(name: string, lines: readonly string[]) {
  const stage = await setStage({ name });
  const outside = lookFromOutside(stage);
  const rooms: (Room & { line: string })[] = [];
  for (const line of lines) rooms.push({ ...(await outside.following(line)), line });
  /** Returns a channel that no test has used yet. */
  const takeRoom = (line = plain): Room => {
    const [room] = rooms.splice(
      rooms.findIndex((each) => each.line === line),
      1,
    );
    if (!room) throw new Error(`there are not enough channels with "${line}"`);
    return room;
  };
  return { stage, outside, takeRoom };
}

let named = 0;

async function send({ up }: Pick<Room, 'up'>, notice: { itemId?: string } = {}): Promise<string> {
  named += 1;
  const name = `Drawing ${named}.pdf`;
  const answer = await deliver(up.uri, notificationFor(up, { name, path: `Root/${name}`, ...notice }));
  expect(answer.status).toBe(200);
  return name;
}

function messagesNaming(stage: Stage, { channel }: Room, name: string) {
  return stage.slack.messages(channel).filter((message) => stage.slack.textOf(message).includes(name));
}

const isOfChannel =
  ({ channel }: Room) =>
  (text: string): boolean =>
    text.includes('paused') && text.includes(channel.id);

describe('a single answer, by its error', () => {
  let stage: Stage;
  let outside: Outside;
  let takeRoom: (line?: string) => Room;
  beforeAll(async () => {
    const count =
      codes.perhaps.length +
      codes.channelClosed.length +
      codes.workspaceClosed.length +
      2 * codes.refused.length +
      8;
    ({ stage, outside, takeRoom } = await setRooms(
      'slack errors',
      Array.from({ length: count }, () => plain),
    ));
  }, 120_000);
  afterAll(async () => {
    await outside.close();
    await stage.close();
  });

  const subscriptionOf = async ({ up }: Room) =>
    (
      await outside.query(
        `select s.state, s.reason from plancast.subscriptions s join plancast.remotes r on r.subscription_id = s.id where r.service_id = $1`,
        [up.id],
      )
    )[0];
  const fail = ({ channel }: Room, error: string, times = 1) =>
    stage.slack.fault({ method: 'chat.postMessage', channel: channel.id, error, times });

  test.concurrent.each(codes.perhaps)(
    '%s leaves open whether the message was posted: it is retried within seconds',
    async (error) => {
      const room = takeRoom();
      fail(room, error);
      const name = await send(room);
      await outside.rows(room.channel, ({ state }) => state === 'posted');
      expect(messagesNaming(stage, room, name)).toHaveLength(1);
      expect(await subscriptionOf(room)).toMatchObject({ state: 'active' });
    },
  );

  test.concurrent.each(codes.channelClosed)(
    '%s closes the channel: its subscription pauses, its owner gets one message, and nothing is lost',
    async (error) => {
      const [room, other] = [takeRoom(), codes.channelClosed[0] === error ? takeRoom() : null];
      const fault = fail(room, error, Number.POSITIVE_INFINITY);
      await send(room);
      await until(
        async () => ((await subscriptionOf(room))?.state === 'paused' ? true : undefined),
        () => 'the subscription is not paused',
      );
      await send(room);
      await send(room);
      await outside.rows(room.channel, ({ reason }) => reason === 'paused', 3);
      const notice = await stage.slack.waitForDirectMessage(room.owner, (message) =>
        isOfChannel(room)(stage.slack.textOf(message)),
      );
      expect(stage.slack.textOf(notice)).toContain('paused');
      const notices = stage.slack
        .directMessages(room.owner)
        .filter((message) => isOfChannel(room)(stage.slack.textOf(message)));
      expect(notices).toHaveLength(1);
      expect(fault.hits()).toBe(1);
      if (other) {
        const name = await send(other);
        await stage.slack.waitForMessage(other.channel, name);
      }
    },
  );

  test('a closed channel that invites the bot again gets what it missed in one summary', async () => {
    const room = takeRoom();
    const fault = fail(room, 'not_in_channel', Number.POSITIVE_INFINITY);
    const first = await send(room);
    await outside.rows(room.channel, ({ reason }) => reason === 'paused');
    const second = await send(room);
    fault.clear();
    await stage.slack.inviteBot(room.channel, stage.dana);
    await outside.rows(room.channel, ({ state }) => state === 'posted', 2);
    const messages = stage.slack.messages(room.channel).map((message) => stage.slack.textOf(message));
    expect(messages.filter((text) => text.includes(first) && text.includes(second))).toHaveLength(1);
  });

  test.concurrent.each(codes.workspaceClosed)(
    '%s shuts the bot out of the workspace: the subscription pauses, nobody gets a message, and nothing is deleted',
    async (error) => {
      const room = takeRoom();
      const before = stage.slack.directMessages(room.owner).length;
      const fault = fail(room, error, Number.POSITIVE_INFINITY);
      await send(room);
      await outside.rows(room.channel, ({ reason }) => reason === 'paused');
      expect(await subscriptionOf(room)).toMatchObject({ state: 'paused', reason: 'workspace access' });
      await send(room);
      await outside.rows(room.channel, ({ reason }) => reason === 'paused', 2);
      expect(fault.hits()).toBe(1);
      const since = stage.slack.directMessages(room.owner).slice(before);
      expect(since.filter((message) => isOfChannel(room)(stage.slack.textOf(message)))).toEqual([]);
    },
  );

  test.concurrent.each(codes.refused)(
    '%s refuses the message: it is posted as plain text, once',
    async (error) => {
      const room = takeRoom();
      fail(room, error);
      const name = await send(room);
      await outside.rows(room.channel, ({ state }) => state === 'posted');
      expect(messagesNaming(stage, room, name).map(({ blocks }) => blocks)).toEqual([[]]);
    },
  );

  test.concurrent.each(codes.refused)(
    '%s refuses the plain text too: a dead letter with the error, and the lane continues at once',
    async (error) => {
      const room = takeRoom();
      const fault = fail(room, error, 2);
      const dead = await send(room);
      await outside.rows(room.channel, ({ state, reason }) => state === 'dead' && reason === error);
      expect(fault.hits()).toBe(2);
      const next = await send(room);
      await stage.slack.waitForMessage(room.channel, next, 4_000);
      await outside.rows(room.channel, ({ state }) => state === 'posted');
      expect(messagesNaming(stage, room, dead)).toEqual([]);
      expect(messagesNaming(stage, room, next)).toHaveLength(1);
    },
  );
});

describe('answers after which the bot has to wait', () => {
  let stage: Stage;
  let outside: Outside;
  let takeRoom: (line?: string) => Room;
  beforeAll(async () => {
    const threads = codes.threadGone.map(() => threaded);
    const lines = [...Array.from({ length: 10 }, () => plain), ...threads];
    ({ stage, outside, takeRoom } = await setRooms('slack errors in time', lines));
  }, 60_000);
  afterAll(async () => {
    await outside.close();
    await stage.close();
  });

  const fail = ({ channel }: Room, error: string, times = 1) =>
    stage.slack.fault({ method: 'chat.postMessage', channel: channel.id, error, times });
  const waits = ({ channel }: Room) =>
    outside.rows(channel, ({ state, reason }) => state === 'pending' && reason === null);
  /** Waits until the bot has read the answer, because the wait starts then. */
  const resting = ({ channel }: Room) =>
    until(
      async () => {
        const lane = 'select 1 from plancast.lanes where channel_id = $1 and not_before is not null';
        return (await outside.query(lane, [channel.id])).length > 0 || undefined;
      },
      () => `${channel.id} is not waiting`,
    );
  const posted = async (room: Room): Promise<void> => {
    await until(
      async () => {
        await outside.wakeLanes();
        const rows = await outside.events(room.channel);
        return rows.every(({ state }) => state === 'posted') || undefined;
      },
      () => `${room.channel.id} still has events that are not posted`,
    );
  };

  test.each(codes.wait)('%s without a time: no retry for 30 s, then posted once', async (error) => {
    const room = takeRoom();
    const fault = fail(room, error);
    const name = await send(room);
    await until(
      () => fault.hits() === 1 || undefined,
      () => 'there was no attempt',
    );
    await resting(room);
    stage.advance(25_000);
    await outside.wakeLanes();
    await waits(room);
    stage.advance(6_000);
    await posted(room);
    expect(messagesNaming(stage, room, name)).toHaveLength(1);
  });

  test('an unknown error is retried until the fifth attempt, and is then a dead letter; the lane continues', async () => {
    const room = takeRoom();
    const fault = fail(room, 'brand_new_error', Number.POSITIVE_INFINITY);
    await send(room);
    await until(
      async () => {
        stage.advance(20_000);
        await outside.wakeLanes();
        return (await outside.events(room.channel)).some(({ state }) => state === 'dead') || undefined;
      },
      () => `there is no dead letter after ${fault.hits()} attempts`,
      15_000,
    );
    expect(fault.hits()).toBe(5);
    expect((await outside.events(room.channel)).map(({ reason }) => reason)).toEqual(['brand_new_error']);
    fault.clear();
    const next = await send(room);
    await stage.slack.waitForMessage(room.channel, next);
  });

  test.each(codes.threadGone)('%s: a thread reply is posted in the channel instead', async (error) => {
    const room = takeRoom(threaded);
    const first = await send(room, { itemId: '4711' });
    await stage.slack.waitForMessage(room.channel, first);
    fail(room, error);
    const second = await send(room, { itemId: '4711' });
    const message = await stage.slack.waitForMessage(room.channel, second);
    expect(message.threadTs).toBeUndefined();
    expect(messagesNaming(stage, room, second)).toHaveLength(1);
  });

  // Last, because they stop the whole workspace.
  test.each(['message_limit_exceeded', 'team_added_to_org', 'org_login_required'])(
    '%s stops the whole workspace for an hour, and then everything is posted once',
    async (error) => {
      const [room, other] = [takeRoom(), takeRoom()];
      const fault = fail(room, error);
      const name = await send(room);
      await until(
        () => fault.hits() === 1 || undefined,
        () => 'there was no attempt',
      );
      await until(
        async () =>
          (await outside.query('select 1 from plancast.paces where not_before > now()')).length > 0 ||
          undefined,
        () => 'the workspace is not stopped',
      );
      const meanwhile = await send(other);
      stage.advance(3_500_000);
      await outside.wakeLanes();
      await waits(room);
      await waits(other);
      stage.advance(110_000);
      await posted(room);
      await posted(other);
      expect(messagesNaming(stage, room, name)).toHaveLength(1);
      expect(messagesNaming(stage, other, meanwhile)).toHaveLength(1);
    },
  );
});
