import type { KnownBlock } from '@slack/types';
import type { Copy } from '../../messages/text/copy.ts';
import { isPressed, type Message } from '../../messages/text/message.ts';
import type { Bot } from '../bot.ts';
import { contextFields } from '../model/log-fields.ts';
import type { Channel, SlackPerson } from '../model/people.ts';
import type { CommandNames } from '../model/verbs.ts';

/** Who asked for something, in which conversation, and where the private reply goes. */
export type CommandContext = {
  readonly person: SlackPerson;
  readonly channelId: string;
  /** Whether it was made in that channel, where only members type and click. Of any other request, Slack has to confirm that they are in it. */
  readonly madeInChannel: boolean;
  /** Whether it was made in a group direct message, which Slack distinguishes from a private channel only in what people type and press there. */
  readonly inGroupMessage?: boolean | undefined;
  /** Slack accepts replies to it for 30 minutes; null if Slack sent none. */
  readonly responseUrl: string | null;
  /** Opens one form, within three seconds (Slack); missing unless the person has just typed or clicked. */
  readonly triggerId?: string | null | undefined;
  /** The command as the person typed it; of a form, the shortest one that asks for the same. Missing for other requests, such as a press. */
  readonly asTyped?: string | undefined;
  /** The service's name, and the commands as they are typed in this workspace. */
  readonly copy: Copy;
  /** Returns the same person's context for another conversation. */
  readonly about: (channelId: string) => CommandContext;
  /** Replies privately. `replace`: replaces the question that was just answered by a click. */
  readonly reply: (message: Message, options?: { readonly replace?: boolean | undefined }) => Promise<void>;
};

/** Who made a Slack request, and where; what is missing does not hold. See `CommandContext`. */
export type ContextFacts = Partial<
  Pick<CommandContext, 'madeInChannel' | 'inGroupMessage' | 'responseUrl' | 'triggerId'>
> & {
  readonly person: SlackPerson;
  readonly channelId: string | null;
  /** True if it was made in a message that everyone in the channel sees. A forged click must not replace or remove that message. */
  readonly inPublicMessage?: boolean | undefined;
  /** Without a `response_url`: shows replies in that channel (in this thread), to that person only. Undefined: they are direct messages. */
  readonly showsReplies?: { readonly threadTs: string | null } | undefined;
  /** Undefined unless the request was a typed command, which says how commands are typed. */
  readonly names?: CommandNames | undefined;
};

/** Returns the context of a request. A reply that Slack does not accept where it was made is sent as a direct message. */
export function contextFrom(bot: Pick<Bot, 'slack' | 'config' | 'log'>, facts: ContextFacts): CommandContext {
  const { slack, log } = bot;
  const { copy } = bot.config;
  const { channelId, names, inPublicMessage, showsReplies, ...asked } = facts;
  const { person, madeInChannel = false, responseUrl = null } = asked;
  const elsewhere = { madeInChannel: false, inGroupMessage: false, showsReplies: undefined };
  return {
    ...asked,
    madeInChannel,
    responseUrl,
    channelId: channelId ?? '',
    copy: { ...copy, commands: names ?? copy.commands },
    about: (id) => contextFrom(bot, id === channelId ? facts : { ...facts, channelId: id, ...elsewhere }),
    reply: async (message, options = {}) => {
      try {
        const shown = madeInChannel ? message : aboutChannel(message, channelId);
        if (responseUrl !== null)
          return await slack.answer(responseUrl, shown, { replace: options.replace && !inPublicMessage });
        if (showsReplies && channelId !== null)
          return await slack.showTo(person, { ...showsReplies, channelId }, message);
      } catch (error) {
        log.warn(
          { err: error, ...contextFields({ person, channelId: channelId ?? '' }) },
          'Slack did not accept an answer; sent as a direct message',
        );
      }
      await slack.directMessage(person, aboutChannel(message, channelId));
    },
  };
}

/** Returns the conversation that a request is for. */
export function channelOf({ person, channelId }: Pick<CommandContext, 'person' | 'channelId'>): Channel {
  return { enterpriseId: person.enterpriseId, teamId: person.teamId, channelId };
}

/** A block id prefixed with the channel that the block is about. Slack sends it back with each press. */
const named = /^in:([CDG][A-Z0-9]{1,40})\/\d{1,2}\/([\s\S]*)$/;

/** Prepares a message for another conversation: its blocks name the channel that it is about, since Slack only says where a button was pressed. */
export function aboutChannel(message: Message, channelId: string | null): Message {
  if (channelId === null || channelId === '') return message;
  const blocks = message.blocks.map(
    (block, index): KnownBlock =>
      isPressed(block) ? { ...block, block_id: `in:${channelId}/${index}/${block.block_id ?? ''}` } : block,
  );
  return { ...message, blocks };
}

/** Splits a block id into the channel it names and the block's own id; `channelId` is null if it names none. */
export function readBlockChannel(blockId: string): {
  readonly channelId: string | null;
  readonly blockId: string;
} {
  const [, channelId, own] = named.exec(blockId) ?? [];
  return channelId === undefined ? { channelId: null, blockId } : { channelId, blockId: own ?? '' };
}
