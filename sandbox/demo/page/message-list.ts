import type { SlackMessage, SlackState } from '../practice-states.ts';
import { type Html, html } from './html.ts';
import { renderMessage } from './message.ts';
import { channelLabel } from './options.ts';
import type { Surface } from './render-blocks.ts';
import type { Reader } from './render-rich-text.ts';

/** Older messages are not shown: the page is for trying things, not for reading back. */
const mostShown = 200;

/** Creates the renderer of a channel's messages. It caches each, since rendering takes a millisecond or two. */
export function makeMessageList() {
  let drawn = new Map<string, Html>();

  function drawnOnce(message: SlackMessage, surface: Surface, kept: Map<string, Html>): Html {
    // A date says "today" until midnight, so the cache lasts one day.
    const day = surface.reader.now.toDateString();
    const key = [message.id, message.edits, message.attachments.length, surface.reader.zone, day].join(' ');
    const known = drawn.get(key) ?? renderMessage(message, surface);
    kept.set(key, known);
    return known;
  }

  /** Ephemeral messages are in order among the others, replies below their parent. */
  return (state: SlackState, reader: Reader): Html => {
    const kept = new Map<string, Html>();
    const shown = inOrder([...state.messages, ...state.ephemerals]).slice(-mostShown);
    const items = shown.map((message, index) => {
      const surface: Surface = { id: `m${message.id}`, reader, choices: state };
      const line = dayLine(message, shown[index - 1], reader);
      return html`${line}${drawnOnce(message, surface, kept)}`;
    });
    drawn = kept;
    const label = state.channel === null ? 'Messages' : `Messages in ${channelLabel(state.channel)}`;
    return html`<div class="messages" role="log" aria-label="${label}" aria-live="polite"><ol>${items}</ol></div>`;
  };
}

function inOrder(messages: readonly SlackMessage[]): SlackMessage[] {
  const threads = new Map<string, SlackMessage[]>();
  const top: SlackMessage[] = [];
  const known = new Set(messages.map(({ ts }) => ts));
  for (const message of messages) {
    const { threadTs } = message;
    if (threadTs === null || threadTs === message.ts || !known.has(threadTs)) top.push(message);
    else threads.set(threadTs, [...(threads.get(threadTs) ?? []), message]);
  }
  const byTime = (one: SlackMessage, other: SlackMessage): number => one.ts.localeCompare(other.ts);
  return top.sort(byTime).flatMap((message) => [message, ...(threads.get(message.ts) ?? []).sort(byTime)]);
}

/** Slack shows the day above its first message. */
function dayLine(
  message: SlackMessage,
  before: SlackMessage | undefined,
  { zone, now }: Reader,
): Html | undefined {
  const format = new Intl.DateTimeFormat('en-US', {
    weekday: 'long',
    month: 'long',
    day: 'numeric',
    timeZone: zone,
  });
  const day = format.format(message.postedAt);
  if (before !== undefined && format.format(before.postedAt) === day) return undefined;
  const shown = format.format(now) === day ? 'Today' : day;
  return html`<li class="day" data-key="day-${day}"><span>${shown}</span></li>`;
}
