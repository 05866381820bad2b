import { idOf, type Ref } from './directory.ts';
import { type Message, textOf } from './messages.ts';
import type { ApiCall, State } from './state.ts';
import type { View } from './views.ts';
import type { Violation } from './violations.ts';
import { waitFor } from './waiting.ts';

/** What to look for: a predicate, or words that the text must contain. */
export type Wanted<T> = ((candidate: T) => boolean) | string | RegExp;

function matches<T extends Message | View>(wanted: Wanted<T>, candidate: T): boolean {
  if (typeof wanted === 'function') return wanted(candidate);
  const title = 'title' in candidate ? candidate.title : undefined;
  const read = textOf({ ...candidate, blocks: [{ title }, ...candidate.blocks] });
  return typeof wanted === 'string' ? read.includes(wanted) : wanted.test(read);
}

function describe(things: { text?: string; blocks: Message['blocks'] }[]): string {
  const lines = things.map((thing) => `  - ${textOf(thing).slice(0, 200).replaceAll('\n', ' / ')}`);
  return lines.length === 0 ? 'There is nothing.' : `There is:\n${lines.join('\n')}`;
}

/** Lets tests look at what the bot has done and wait for what it is about to do. */
export function makeLookout(state: State) {
  const { messages, views, changes, calls, violations } = state;

  /** Returns the messages everyone can see in the channel now, in order. */
  function inChannel(channel: Ref): Message[] {
    const id = idOf(channel);
    return messages.all.filter(
      ({ channelId, viewerId, deletedAt }) =>
        channelId === id && viewerId === undefined && deletedAt === undefined,
    );
  }

  /** Returns the ephemeral messages of this person, in order; with a channel, only those in it. */
  function ephemerals(user: Ref, channel?: Ref): Message[] {
    const id = idOf(user);
    return messages.all.filter(
      ({ channelId, viewerId, deletedAt }) =>
        viewerId === id && deletedAt === undefined && (channel === undefined || channelId === idOf(channel)),
    );
  }

  function directMessages(user: Ref): Message[] {
    const id = idOf(user);
    const between = [...state.directory.channels.values()].filter(
      ({ kind, members }) => kind === 'im' && members.has(id),
    );
    return messages.all.filter(
      ({ channelId, viewerId, deletedAt }) =>
        between.some((channel) => channel.id === channelId) &&
        viewerId === undefined &&
        deletedAt === undefined,
    );
  }

  /** Returns the modals on the person's screen, the topmost last. */
  function openViews(user: Ref): View[] {
    const id = idOf(user);
    return views.all().filter((view) => view.isOpen && view.type === 'modal' && view.userId === id);
  }

  function homeViews(user: Ref): View[] {
    const id = idOf(user);
    return views.all().filter((view) => view.type === 'home' && view.userId === id);
  }

  return {
    /** Every message so far, including ephemeral and deleted ones. */
    allMessages: messages.all,
    messages: inChannel,
    ephemerals,
    directMessages,
    openViews,
    /** The topmost modal on the person's screen. */
    lastView: (user: Ref): View | undefined => openViews(user).at(-1),
    /** The person's Home tab, once published; with a team id, that workspace's. */
    homeView: (user: Ref, teamId?: string): View | undefined =>
      homeViews(user).find((view) => teamId === undefined || view.teamId === teamId),
    textOf,
    calls,
    /** Calls `listener` on every change. Returns a function that stops it. */
    onChange: changes.listen,
    /** Calls of one method, in order. */
    callsOf: (method: string): ApiCall[] => calls.filter((call) => call.method === method),
    violations: violations.list as readonly Violation[],
    /** The number of calls that came too fast, in any rate mode. */
    tooFast: (): number => state.rates.exceeded(),
    /** Waits for a message in a channel and returns the latest match; edits count. */
    waitForMessage: (channel: Ref, wanted: Wanted<Message>, deadlineMs?: number): Promise<Message> =>
      waitFor(changes, {
        find: () => inChannel(channel).findLast((message) => matches(wanted, message)),
        complain: () =>
          `No such message in ${idOf(channel)} (${String(wanted)}). ${describe(inChannel(channel))}`,
        deadlineMs,
      }),
    waitForEphemeral: (user: Ref, wanted: Wanted<Message>, deadlineMs?: number): Promise<Message> =>
      waitFor(changes, {
        find: () => ephemerals(user).findLast((message) => matches(wanted, message)),
        complain: () =>
          `No such message to ${idOf(user)} alone (${String(wanted)}). ${describe(ephemerals(user))}`,
        deadlineMs,
      }),
    waitForDirectMessage: (user: Ref, wanted: Wanted<Message>, deadlineMs?: number): Promise<Message> =>
      waitFor(changes, {
        find: () => directMessages(user).findLast((message) => matches(wanted, message)),
        complain: () =>
          `No such direct message to ${idOf(user)} (${String(wanted)}). ${describe(directMessages(user))}`,
        deadlineMs,
      }),
    /** Waits for a modal on the person's screen. */
    waitForView: (user: Ref, wanted: Wanted<View>, deadlineMs?: number): Promise<View> =>
      waitFor(changes, {
        find: () => openViews(user).findLast((view) => matches(wanted, view)),
        complain: () => `${idOf(user)} sees no such modal (${String(wanted)}). ${describe(openViews(user))}`,
        deadlineMs,
      }),
    waitForHome: (user: Ref, wanted: Wanted<View>, deadlineMs?: number): Promise<View> =>
      waitFor(changes, {
        find: () => homeViews(user).findLast((view) => matches(wanted, view)),
        complain: () =>
          `${idOf(user)}'s Home tab is another (${String(wanted)}). ${describe(homeViews(user))}`,
        deadlineMs,
      }),
    /** Waits for a call that has been answered. */
    waitForCall: (method: string, wanted: (call: ApiCall) => boolean = () => true, deadlineMs?: number) =>
      waitFor(changes, {
        find: () =>
          calls.findLast((call) => call.method === method && call.outcome !== undefined && wanted(call)),
        complain: () =>
          `No such call of ${method}. There were: ${calls.map((call) => call.method).join(', ')}`,
        deadlineMs,
      }),
  };
}
