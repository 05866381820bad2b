import type { Copy } from '../text/copy.ts';
import { context, type Message, messageOf, requestButton } from '../text/message.ts';
import { channel, inText, type Phrase, plainly, say, typed } from '../text/phrase.ts';

/** The bot is not in the channel, and finishes the command once it is invited. */
export function keptUntilInvited(kept: { readonly line: string; readonly botName: string }): Message {
  return messageOf({
    lines: [
      say`I’m not in this channel yet. To continue, type ${typed(`/invite @${kept.botName}`)}.`,
      say`I’ll finish ${typed(kept.line)} as soon as I’m in the channel.`,
    ],
    small: [say`I’ll remember this for a day.`],
  });
}

/** Greets whoever invited the bot. */
export function greeting({ serviceName, commands }: Copy): Message {
  return messageOf({
    lines: [
      say`I’m in this channel now. Subscribe it to a project or session at ${plainly(serviceName)}, and I’ll post its changes here.`,
    ],
    small: [
      say`Only you can see this. You can also paste a link: ${typed(`${commands.subscribe} https://…`)}`,
    ],
    buttons: [
      requestButton('Subscribe this channel', { act: 'open-form' }, { style: 'primary' }),
      requestButton('Help', { act: 'help' }),
    ],
  });
}

/** What a person asked for while the bot was not in the channel was done. */
export function keptDone(kept: { readonly line: string; readonly channelId: string }): Message {
  return messageOf({
    lines: [say`I’m in ${[channel(kept.channelId)]} now, and finished ${typed(kept.line)}.`],
  });
}

/** Adds to an answer what it is about, as the person asked for that up to a day ago and in another place. */
export function aboutKept(
  { text, blocks }: Message,
  kept: { readonly line: string; readonly channelId: string },
): Message {
  const about: Phrase = say`I’m in ${[channel(kept.channelId)]} now. You asked for ${typed(kept.line)}.`;
  return { text: `${inText(about)}\n${text}`, blocks: [context(about), ...blocks] };
}
