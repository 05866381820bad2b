import type { Changes } from './changes.ts';
import type { Content } from './content.ts';
import type { Directory } from './directory.ts';
import { withElementIds } from './element-ids.ts';
import type { Ids } from './ids.ts';
import { type Fields, isFields } from './json.ts';
import { limits } from './limits.ts';
import { findLiveParts, type KnownNames, type LiveParts } from './live-parts.ts';

export interface MessageVersion {
  text: string;
  blocks: Fields[];
  attachments: Fields[];
  /** Epoch milliseconds on the practice Slack's clock when this version was replaced. */
  until: number;
}

/** A message or, with a viewer, an ephemeral one. `mentions`, `links` and `oddities` are those of the current version. */
export interface Message extends LiveParts {
  /** Unique across all messages. */
  id: string;
  teamId: string;
  channelId: string;
  ts: string;
  /** The only person who sees it; undefined: everyone in the channel. */
  viewerId: string | undefined;
  /** The person who wrote it; undefined: the bot, or Slack itself. */
  authorId: string | undefined;
  text: string;
  blocks: Fields[];
  attachments: Fields[];
  metadata: Fields | undefined;
  threadTs: string | undefined;
  /** How it was posted. `slack` is Slack's own notice to a person that the app did not respond. */
  via: 'chat.postMessage' | 'chat.postEphemeral' | 'response_url' | 'command' | 'slack' | 'person';
  unfurlLinks: boolean | undefined;
  unfurlMedia: boolean | undefined;
  /** Epoch milliseconds on the practice Slack's clock. */
  postedAt: number;
  /** Earlier versions, oldest first. */
  edits: MessageVersion[];
  deletedAt: number | undefined;
}

export interface NewMessage {
  teamId: string;
  channelId: string;
  viewerId?: string | undefined;
  authorId?: string | undefined;
  content: Content;
  threadTs?: string | undefined;
  via: Message['via'];
  unfurlLinks?: boolean | undefined;
  unfurlMedia?: boolean | undefined;
  parse?: unknown;
  linkNames?: boolean | undefined;
}

interface MessagesDeps {
  now: () => number;
  ids: Ids;
  directory: Directory;
  changes: Changes;
}

function knownNames({ users, channels }: Directory): KnownNames {
  return {
    users: new Map([...users.values()].map(({ name, id }) => [name, id])),
    channels: new Map([...channels.values()].map(({ name, id }) => [name, id])),
  };
}

/** Stores everything that was posted, in order, including messages deleted since. */
export function makeMessages({ now, ids, directory, changes }: MessagesDeps) {
  const all: Message[] = [];
  const byPlace = new Map<string, Message>();

  function liveParts(
    content: Content,
    { parse, linkNames }: { parse?: unknown; linkNames?: boolean | undefined } = {},
  ) {
    return findLiveParts({ ...content, parse, linkNames }, knownNames(directory));
  }

  return {
    all,
    /** Stores a message without validating it. */
    post(added: NewMessage): Message {
      const { teamId, channelId, content } = added;
      const ts = ids.ts();
      const message: Message = {
        id: `${channelId}:${ts}`,
        teamId,
        channelId,
        ts,
        viewerId: added.viewerId,
        authorId: added.authorId,
        text: (content.text ?? '').slice(0, limits.textCutAt),
        blocks: withElementIds(content.blocks ?? [], ids),
        attachments: content.attachments ?? [],
        metadata: content.metadata,
        threadTs: added.threadTs,
        via: added.via,
        unfurlLinks: added.unfurlLinks,
        unfurlMedia: added.unfurlMedia,
        postedAt: now(),
        edits: [],
        deletedAt: undefined,
        ...liveParts(content, added),
      };
      all.push(message);
      byPlace.set(message.id, message);
      changes.notify();
      return message;
    },
    /**
     * Replaces the content. Text without blocks removes the blocks; attachments and metadata stay unless given; empty metadata removes them
     * (docs: chat.update).
     */
    edit(message: Message, content: Content): void {
      const { text, blocks, attachments } = message;
      message.edits.push({ text, blocks, attachments, until: now() });
      message.text = content.text ?? (content.blocks === undefined ? message.text : '');
      message.blocks = withElementIds(content.blocks ?? [], ids);
      message.attachments = content.attachments ?? attachments;
      if (content.metadata !== undefined) {
        message.metadata = Object.keys(content.metadata).length === 0 ? undefined : content.metadata;
      }
      Object.assign(message, liveParts({ ...content, attachments: message.attachments }));
      changes.notify();
    },
    /** Shows previews below a message; one for the same address replaces the earlier one. */
    preview(message: Message, previews: ReadonlyMap<string, Fields[]>): void {
      const others = message.attachments.filter(({ app_unfurl_url: url }) => !previews.has(String(url)));
      const added = [...previews].map(([url, blocks]) => ({
        id: ids.secret(),
        from_url: url,
        app_unfurl_url: url,
        is_app_unfurl: true,
        blocks: withElementIds(blocks, ids),
      }));
      message.attachments = [...others, ...added];
      changes.notify();
    },
    remove(message: Message): void {
      message.deletedAt = now();
      changes.notify();
    },
    /** Returns the public message at this position, unless it was deleted. */
    find(channelId: string, ts: string): Message | undefined {
      const message = byPlace.get(`${channelId}:${ts}`);
      return message?.deletedAt === undefined && message?.viewerId === undefined ? message : undefined;
    },
    byId: (id: string): Message | undefined => byPlace.get(id),
  };
}

/** Returns every string below `value`, in order. */
function texts(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(texts);
  if (!isFields(value)) return [];
  return Object.entries(value).flatMap(([key, entry]) =>
    typeof entry === 'string' ? (['text', 'alt_text', 'title'].includes(key) ? [entry] : []) : texts(entry),
  );
}

/**
 * Returns all text of a message or view, one string per line, for checking whether something is mentioned anywhere. Omits zero-width
 * spaces, which nobody sees.
 */
export function textOf({
  text,
  blocks,
  attachments,
}: {
  text?: string;
  blocks: Fields[];
  attachments?: Fields[];
}): string {
  return [text ?? '', ...texts(blocks), ...texts(attachments ?? [])]
    .filter((piece) => piece !== '')
    .join('\n')
    .replaceAll('\u200b', '');
}
