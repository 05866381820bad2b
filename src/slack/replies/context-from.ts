import type { CommandContext, ContextFacts } from '../../core/access/command-context.ts';
import { contextFields } from '../../core/model/log-fields.ts';
import { directMessage } from '../posting/direct-message.ts';
import type { SlackApi } from '../slack-api.ts';
import { answer } from './answer.ts';
import { aboutChannel } from './block-channels.ts';

/** Returns the context of a command. A reply that Slack does not accept is sent as a direct message. */
export function contextFrom(api: SlackApi, facts: ContextFacts): CommandContext {
  const { person, channelId, madeInChannel, inPublicMessage, responseUrl, triggerId } = facts;
  const { copy, log } = api;
  return {
    person,
    channelId: channelId ?? '',
    madeInChannel,
    responseUrl,
    triggerId,
    copy: { ...copy, commands: facts.names ?? copy.commands },
    about: (id) =>
      contextFrom(api, id === channelId ? facts : { ...facts, channelId: id, madeInChannel: false }),
    reply: async (message, options = {}) => {
      if (responseUrl !== null) {
        try {
          const shown = madeInChannel ? message : aboutChannel(message, channelId);
          return await answer(api, responseUrl, shown, { replace: options.replace && !inPublicMessage });
        } catch (error) {
          log.warn(
            { err: error, ...contextFields({ person, channelId: channelId ?? '' }) },
            'Slack did not accept an answer; sent as a direct message',
          );
        }
      }
      await directMessage(api, person, aboutChannel(message, channelId));
    },
  };
}
