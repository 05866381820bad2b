import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Channel, NewChannel, Ref, User } from '../../sandbox/slack/directory.ts';
import type { Message } from '../../sandbox/slack/messages.ts';
import type { Stage } from '../support/stage.ts';

/** A row of `plancast.events` as an outside observer reads it. */
export type EventRow = {
  notification_id: string;
  subscription_id: string;
  service_subscription_id: string | null;
  team_id: string;
  channel_id: string;
  state: string;
  reason: string | null;
  message_ts: string | null;
  received_at: Date;
  posted_at: Date | null;
};

/** The parts of a notification that tests care about; the rest is filled in. */
export type NotificationFields = {
  id?: string | undefined;
  type?: string | undefined;
  user?: string | undefined;
  path?: string | null | undefined;
  name?: string | undefined;
  resourceType?: string | undefined;
  /** Id of the project item; a new one by default. */
  itemId?: string | undefined;
  resource?: string | undefined;
  more?: Readonly<Record<string, unknown>> | undefined;
};

/** A subscription as the service sees it, with the URL it sends notifications to. */
export type Upstream = { uri: string; id: number; key: string };

export type Outside = {
  /** A person of their own, with no rate limit used up yet; linked if an account is given. */
  member: (more?: Partial<User> & { account?: string | undefined }) => Promise<User>;
  /** A new channel with one subscription in it, made by a linked person. */
  following: (line: string, options?: Following) => Promise<{ channel: Channel; up: Upstream; owner: User }>;
  /** A new channel, so that lanes, filters and lists of different tests do not mix. */
  channel: (more?: NewChannel) => Channel;
  /** What only this person reads in answer to a command; `wanted` picks one of several answers. */
  ask: (user: User, line: string, where?: Asking) => Promise<Message>;
  /** What everybody in the channel reads in answer to a command. */
  announced: (user: User, line: string, where?: Asking) => Promise<Message>;
  /** Clicks a button of a message; returns what only this person reads next. */
  press: (user: User, message: Message, button: string, wanted?: RegExp) => Promise<Message>;
  /** Types `/plancast link` and goes through the pages. */
  link: (user: User, email: string) => Promise<void>;
  /** Rows of `plancast.events` of a channel, oldest first. */
  events: (channel: Ref) => Promise<EventRow[]>;
  /** Waits until `count` rows of the channel match `fits`. */
  rows: (channel: Ref, fits: (row: EventRow) => boolean, count?: number) => Promise<EventRow[]>;
  /** The subscription the service made last. */
  newest: () => Upstream;
  /** Runs the minute's chores now and wakes deferred lanes; both follow the database's clock, which no test can move. */
  wakeLanes: () => Promise<void>;
  /** Runs any query against the database. */
  query: (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;
  close: () => Promise<void>;
};

export type Following = { channel?: Channel | undefined; owner?: User | undefined };
export type Asking = { channel?: Channel | undefined; wanted?: RegExp | undefined };

/** Waits in real time until `find` returns something. Throws with `complain()` if it never does. */
export async function until<T>(
  find: () => T | undefined | Promise<T | undefined>,
  complain: () => string,
  deadlineMs = 6_000,
): Promise<T> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error(complain());
    await sleep(25);
  }
}

let notifications = 0;

/** A notification in the form of the service interface, by default for a subscription to project 412-873-550. */
export function notificationFor(
  { id }: { id: number },
  fields: NotificationFields = {},
): Record<string, unknown> {
  notifications += 1;
  const itemId = fields.itemId ?? String(90_000 + notifications);
  const path = fields.path === undefined ? `Root/Plans/Sheet ${notifications}.pdf` : fields.path;
  return {
    Id: fields.id ?? randomUUID(),
    SubscriptionId: id,
    Source: 2,
    Resource: fields.resource ?? `/Primes/4021/Projects/412873550/ProjectItems/${itemId}/`,
    Timestamp: '2026-11-21T09:12:07.1230000+00:00',
    ExtraInformation: {
      ResourceType: fields.resourceType ?? 'ProjectItems',
      User: fields.user ?? 'lee@example.com',
      EventType: fields.type ?? 'Create',
      IdPath: path === null ? null : `50211/50212/${itemId}`,
      Path: path,
      ItemType: path === null ? null : 'File',
      Name: fields.name ?? path?.split('/').at(-1) ?? 'Harbour Tower',
    },
    ...fields.more,
  };
}

/** Sends a body to a callback URL as the service does: strings unchanged, anything else as JSON. */
export function deliver(uri: string, body: unknown, init: RequestInit = {}): Promise<Response> {
  return fetch(uri, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
  });
}

/** The same callback URL with another token. */
export function withToken(uri: string, token: string): string {
  return `${uri.slice(0, uri.lastIndexOf('/'))}/${token}`;
}

/** Everything a test from outside needs, on a stage that is already set. */
export function lookFromOutside(stage: Stage): Outside {
  const { slack, service } = stage;
  const pool = new pg.Pool({ connectionString: stage.database.url, max: 2 });
  let channels = 0;
  let members = 0;
  const people = () => [...slack.users.values()].filter(({ isBot }) => !isBot);

  const said = (from: number, fits: (message: Message) => boolean) =>
    slack.allMessages.slice(from).find(fits);
  const heard = (from: number) =>
    slack.allMessages
      .slice(from)
      .map((message) => `  - ${message.viewerId ?? 'all'}: ${slack.textOf(message).replaceAll('\n', ' / ')}`)
      .join('\n');

  async function hear(from: number, fits: (message: Message) => boolean, after: string): Promise<Message> {
    return until(
      () => said(from, fits),
      () => `no matching message came after ${after}, only:\n${heard(from)}`,
    );
  }

  async function events(channel: Ref): Promise<EventRow[]> {
    const id = typeof channel === 'string' ? channel : channel.id;
    const { rows } = await pool.query<EventRow>(
      'select * from plancast.events where channel_id = $1 order by received_at, seq',
      [id],
    );
    return rows;
  }

  async function link(user: User, email: string): Promise<void> {
    const from = slack.allMessages.length;
    await stage.type(user, '/plancast link');
    const offer = await hear(
      from,
      (message) => message.viewerId === user.id && slack.textOf(message).includes('Link'),
      'link',
    );
    await stage.linkInBrowser(String(slack.button(offer, 'Link').element.url), email);
    await until(
      async () => {
        const answer = await pool.query(
          "select 1 from plancast.links where user_id = $1 and state = 'active'",
          [user.id],
        );
        return answer.rowCount === 1 || undefined;
      },
      () => `${user.realName} was not linked; the messages were:\n${heard(from)}`,
    );
  }

  function newest(): Upstream {
    const last = service.subscriptions.all().at(-1);
    if (!last) throw new Error('the service has no subscription');
    return { uri: last.uri, id: last.id, key: last.key };
  }

  let linked: Promise<User> | undefined;
  /** One person linked as Dana, for tests that only need someone linked; replaced before their rate limit runs out. */
  let spent = 0;
  function linkedMember(): Promise<User> {
    spent += 1;
    if (spent % 25 === 0) linked = undefined;
    linked ??= member({ account: 'dana@example.com', realName: 'Dana Reyes' });
    return linked;
  }

  function channel(more: NewChannel = {}): Channel {
    channels += 1;
    return slack.addChannel({ name: `room-${channels}`, members: people(), ...more });
  }

  async function member({ account, ...more }: Partial<User> & { account?: string | undefined } = {}) {
    members += 1;
    const user = slack.addUser({
      teamId: stage.teamId,
      name: more.realName ?? `member-${members}`,
      ...(account !== undefined && { email: account }),
      ...more,
    });
    stage.plans.members.add(user.id);
    if (account !== undefined) await link(user, account);
    return user;
  }

  return {
    member,
    channel,
    async following(line, { channel: where, owner } = {}) {
      const by = owner ?? (await linkedMember());
      const room = where ?? channel();
      room.members.add(by.id);
      const before = new Set(service.subscriptions.all().map(({ id }) => id));
      const from = slack.allMessages.length;
      await stage.type(by, line, room);
      await until(
        () => service.subscriptions.all().some(({ id }) => !before.has(id)) || undefined,
        () => `"${line}" made no subscription. There was:\n${heard(-5)}`,
      );
      const up = newest();
      await until(
        async () => {
          const known = await pool.query(
            `select 1 from plancast.remotes r join plancast.subscriptions s on s.id = r.subscription_id
             where r.service_id = $1 and s.state = 'active'`,
            [up.id],
          );
          return known.rowCount === 1 || undefined;
        },
        () => `"${line}" is not active. There was:\n${heard(-5)}`,
      );
      await hear(
        from,
        ({ viewerId, channelId }) => viewerId === undefined && channelId === room.id,
        `"${line}"`,
      );
      return { channel: room, up, owner: by };
    },
    async ask(user, line, { channel = stage.plans, wanted = /./ } = {}) {
      const from = slack.allMessages.length;
      await stage.type(user, line, channel);
      return hear(
        from,
        (message) =>
          message.viewerId === user.id &&
          message.channelId === channel.id &&
          wanted.test(slack.textOf(message)),
        `"${line}"`,
      );
    },
    async announced(user, line, { channel = stage.plans, wanted = /./ } = {}) {
      const from = slack.allMessages.length;
      await stage.type(user, line, channel);
      return hear(
        from,
        (message) =>
          message.viewerId === undefined &&
          message.channelId === channel.id &&
          wanted.test(slack.textOf(message)),
        `"${line}"`,
      );
    },
    async press(user, message, button, wanted = /./) {
      const from = slack.allMessages.length;
      const edits = message.edits.length;
      await slack.click({ user, message, element: slack.button(message, button) });
      return until(
        () => {
          if (message.edits.length > edits && wanted.test(slack.textOf(message))) return message;
          return said(from, (next) => next.viewerId === user.id && wanted.test(slack.textOf(next)));
        },
        () => `no matching message came after "${button}", only:\n${heard(from)}`,
      );
    },
    link,
    events,
    rows: (channel, fits, count = 1) =>
      until(
        async () => {
          const rows = (await events(channel)).filter(fits);
          return rows.length >= count ? rows : undefined;
        },
        () =>
          `there are not ${count} matching events in ${typeof channel === 'string' ? channel : channel.id}`,
      ),
    newest,
    async wakeLanes() {
      await stage.bot.runChore('sweep');
      await pool.query("select pg_notify('plancast_lanes', '')");
    },
    query: async (text, values = []) => (await pool.query(text, values)).rows,
    close: () => pool.end(),
  };
}
