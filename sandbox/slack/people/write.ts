import { type Channel, idOf, type Ref, type User, type Workspace } from '../directory.ts';
import type { Fields } from '../json.ts';
import type { Message } from '../messages.ts';
import { type SentEvent, sendEvent } from './event.ts';
import type { Stage } from './interaction.ts';
import { escapeTyped } from './typed-text.ts';

export interface WriteInput {
  user: Ref;
  channel: Ref;
  /** As typed: `@name`, `#channel` and addresses become markup. */
  text: string;
  threadTs?: string | undefined;
}

/** A message of a person, and what Slack sent to the app because of it. */
export interface Wrote {
  message: Message;
  events: SentEvent[];
}

interface Place {
  user: User;
  channel: Channel;
  workspace: Workspace;
}

/**
 * Posts an ordinary message of a person. The app is sent an `app_mention` if it is named in a channel it is in, and a `link_shared` for
 * links to its domains: twice, first while the message is in the composer.
 */
export async function write(stage: Stage, input: WriteInput): Promise<Wrote> {
  const { state } = stage;
  const user = state.directory.user(input.user);
  const channel = state.directory.channel(idOf(input.channel));
  const place = { user, channel, workspace: state.directory.workspaceFor(channel, user) };
  if (channel.kind === 'im' && channel.members.has(place.workspace.botUserId)) {
    throw new Error('Sending messages to this app has been turned off.');
  }
  if (!channel.members.has(user.id)) throw new Error(`${user.name} is not in that channel.`);
  const text = asWritten(stage, input.text);
  const composing = linksIn(stage, place, text);
  const composed = composing.length === 0 ? [] : [await share(stage, place, composing)];
  const message = state.messages.post({
    teamId: place.workspace.teamId,
    channelId: channel.id,
    authorId: user.id,
    content: { text, blocks: undefined, attachments: undefined, metadata: undefined },
    threadTs: input.threadTs,
    via: 'person',
  });
  const mentioned = await mention(stage, place, message);
  return { message, events: [...composed, ...mentioned, ...(await shareLinks(stage, place, message))] };
}

/** Changes what a person wrote. Previews of links that are no longer in it go. */
export async function rewrite(stage: Stage, message: Message, typed: string): Promise<Wrote> {
  const { state } = stage;
  const user = state.directory.user(message.authorId ?? '');
  const channel = state.directory.channel(message.channelId);
  const text = asWritten(stage, typed);
  const attachments = message.attachments.filter(({ from_url: url }) => urlsIn(text).includes(String(url)));
  state.messages.edit(message, { text, blocks: undefined, attachments, metadata: undefined });
  const place = { user, channel, workspace: state.directory.workspaceFor(channel, user) };
  return { message, events: await shareLinks(stage, place, message) };
}

/** Returns the addresses of the links in a message. */
export function urlsIn(text: string): string[] {
  return [...text.matchAll(/<(https?:[^|>]+)(?:\|[^>]*)?>/g)].map(([, url = '']) =>
    url.replaceAll('&amp;', '&'),
  );
}

/** In a message, a mention has no label (docs: events/app_mention). */
function asWritten({ state }: Stage, typed: string): string {
  return escapeTyped(typed, state.directory).replaceAll(/<@(\w+)\|[^>]*>/g, '<@$1>');
}

async function mention(
  stage: Stage,
  { user, channel, workspace }: Place,
  { text, ts, threadTs }: Message,
): Promise<SentEvent[]> {
  const { botUserId, botScopes, teamId } = workspace;
  const isSent = botScopes.includes('app_mentions:read') && channel.members.has(botUserId);
  if (!isSent || !text.includes(`<@${botUserId}>`)) return [];
  const inThread = threadTs === undefined ? {} : { thread_ts: threadTs };
  const inner = {
    type: 'app_mention',
    user: user.id,
    text,
    ts,
    channel: channel.id,
    event_ts: ts,
    ...inThread,
  };
  return [await sendEvent(stage, inner, { teamId })];
}

/** Only what members of the workspace write is sent, and only links to the app's domains. */
function linksIn({ state }: Stage, { user, workspace }: Place, text: string): Fields[] {
  if (user.isStranger || !workspace.botScopes.includes('links:read')) return [];
  return urlsIn(text).flatMap((url) => {
    const domain = URL.canParse(url) ? new URL(url).hostname : '';
    return state.app.unfurlDomains.includes(domain) ? [{ domain, url }] : [];
  });
}

async function shareLinks(stage: Stage, place: Place, message: Message): Promise<SentEvent[]> {
  const links = linksIn(stage, place, message.text);
  return links.length === 0 ? [] : [await share(stage, place, links, message)];
}

/** @param message undefined while it is still in the composer */
function share(
  stage: Stage,
  { user, channel, workspace }: Place,
  links: Fields[],
  message?: Message,
): Promise<SentEvent> {
  const { state } = stage;
  const unfurlId = state.ids.passing('UF');
  state.unfurls.set(unfurlId, message);
  const where =
    message === undefined
      ? { channel: 'COMPOSER', message_ts: unfurlId, source: 'composer' }
      : { channel: channel.id, message_ts: message.ts, source: 'conversations_history' };
  const inner = {
    type: 'link_shared',
    ...where,
    user: user.id,
    is_bot_user_member: state.directory.botIsIn(channel, workspace),
    ...(message?.threadTs !== undefined && { thread_ts: message.threadTs }),
    unfurl_id: unfurlId,
    links,
  };
  return sendEvent(stage, inner, { teamId: workspace.teamId });
}
