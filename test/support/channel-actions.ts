import { expect } from 'vitest';
import type { Channel, NewChannel, User } from '../../sandbox/slack/directory.ts';
import { type Notice, notify } from './notify.ts';
import type { Stage } from './stage.ts';

/** Makes functions that act in new channels and read what can be seen there. */
export function makeChannelActions(stage: () => Stage) {
  async function query<Row extends object>(text: string, channel: Channel): Promise<Row[]> {
    const { rows } = await stage().database.connect().pool.query<Row>(text, [channel.id]);
    return rows;
  }

  /** Types a command that subscribes; returns the callback URL of the new subscription. */
  async function follow(channel: Channel, line: string, user: User = stage().dana): Promise<string> {
    const { service, slack } = stage();
    const before = new Set(service.subscriptions.all().map(({ uri }) => uri));
    const shown = slack.messages(channel).length;
    await stage().type(user, line, channel);
    await expect.poll(() => slack.messages(channel).length, { timeout: 10_000 }).toBeGreaterThan(shown);
    const uri = service.subscriptions.all().find((each) => !before.has(each.uri))?.uri;
    if (!uri) throw new Error('nothing was subscribed');
    return uri;
  }

  /** Sends a notification about a file of its own. */
  const notifyOfFile = (uri: string, name: string, more: Partial<Notice> = {}) =>
    notify(uri, { item: `item of ${name}`, name, at: stage().now(), ...more });

  return {
    query,
    follow,
    notify: notifyOfFile,

    /** Makes a new channel in which Dana subscribes to a project. */
    async followed(fields: NewChannel = {}) {
      const { slack, dana, sam, guest } = stage();
      const channel = slack.addChannel({ members: [dana, sam, guest], ...fields });
      const uri = await follow(channel, '/subscribe project 412-873-550');
      return {
        channel,
        uri,
        notify: (name: string, more: Partial<Notice> = {}) => notifyOfFile(uri, name, more),
      };
    },

    /** Returns the state of each subscription, with its reason. */
    async statesOf(channel: Channel): Promise<string[]> {
      const rows = await query<{ state: string; reason: string | null }>(
        'select state, reason from plancast.subscriptions where channel_id = $1 order by created_at',
        channel,
      );
      return rows.map(({ state, reason }) => (reason === null ? state : `${state}: ${reason}`));
    },

    /** Returns the names of items whose events are held until a pause ends. */
    async held(channel: Channel): Promise<string[]> {
      const rows = await query<{ name: string }>(
        `select notification ->> 'name' as name from plancast.events
         where channel_id = $1 and state = 'pending' and reason = 'paused' order by seq`,
        channel,
      );
      return rows.map(({ name }) => name);
    },

    textsOf: (channel: Channel) =>
      stage()
        .slack.messages(channel)
        .map(({ text }) => text),

    /** Returns the private messages to a person about a channel. */
    about: (user: User, channel: Channel) =>
      stage()
        .slack.directMessages(user)
        .filter(({ text }) => text.includes(channel.id)),
  };
}
