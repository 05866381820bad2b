import type { CommandContext } from '../../core/access/command-context.ts';
import type { CommandNames } from '../../core/model/commands.ts';
import { contextFields } from '../../core/model/log-fields.ts';
import type { SlackPerson } from '../../core/model/people.ts';
import type { Log } from '../../lib/log.ts';
import type { Copy } from '../../messages/text/copy.ts';
import type { Message } from '../../messages/text/message.ts';
import type { Answer } from './answer.ts';
import { aboutChannel } from './block-channels.ts';

type ContextDeps = {
  readonly answer: Answer;
  readonly directMessage: (person: SlackPerson, message: Message) => Promise<void>;
  /** With the commands as the operator says that they are typed, unless the request was a typed one that says it. */
  readonly copy: Copy;
  readonly log: Pick<Log, 'warn'>;
};

/** Who made a Slack request, and where. */
export type ContextFacts = {
  readonly person: SlackPerson;
  readonly channelId: string | null;
  /** True if the request was not made in that channel itself. */
  readonly elsewhere?: boolean | undefined;
  /** True if it was made in a message that everyone in the channel sees. A forged click must not replace or remove that message. */
  readonly inPublicMessage?: boolean | undefined;
  readonly responseUrl: string | null;
  readonly triggerId?: string | null | undefined;
  readonly names?: CommandNames | undefined;
};

/** Makes the context of a command. A reply that Slack does not accept is sent as a direct message. */
export function makeContextFrom({ answer, directMessage, copy, log }: ContextDeps) {
  const contextFrom = (facts: ContextFacts): CommandContext => {
    const { person, channelId, elsewhere, inPublicMessage, responseUrl, triggerId } = facts;
    const { names = copy.commands } = facts;
    return {
      person,
      channelId: channelId ?? '',
      elsewhere,
      responseUrl,
      triggerId,
      copy: { ...copy, commands: names },
      about: (id) =>
        id === channelId ? contextFrom(facts) : contextFrom({ ...facts, channelId: id, elsewhere: true }),
      reply: async (message, options = {}) => {
        if (responseUrl !== null) {
          try {
            const replace = options.replace && !inPublicMessage;
            return await answer(responseUrl, elsewhere ? aboutChannel(message, channelId) : message, {
              replace,
            });
          } catch (error) {
            log.warn(
              { err: error, ...contextFields({ person, channelId: channelId ?? '' }) },
              'Slack did not accept an answer; sent as a direct message',
            );
          }
        }
        await directMessage(person, aboutChannel(message, channelId));
      },
    };
  };
  return contextFrom;
}

export type ContextFrom = ReturnType<typeof makeContextFrom>;
