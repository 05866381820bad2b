import type { CommandContext, ContextFacts } from '../../core/access/command-context.ts';
import { contextFields } from '../../core/model/log-fields.ts';
import { directMessage } from '../posting/direct-message.ts';
import { showTo } from '../posting/show-to.ts';
import type { SlackApi } from '../slack-api.ts';
import { answer } from './answer.ts';
import { aboutChannel } from './block-channels.ts';

/** Returns the context of a command. A reply that Slack does not accept is sent as a direct message. */
export function contextFrom(api: SlackApi, facts: ContextFacts): CommandContext {
  const {
    person,
    channelId,
    madeInChannel,
    inGroupMessage,
    inPublicMessage,
    responseUrl,
    showsReplies,
    triggerId,
  } = facts;
  const { copy, log } = api;
  const elsewhere = { madeInChannel: false, inGroupMessage: false, showsReplies: undefined };
  return {
    person,
    channelId: channelId ?? '',
    madeInChannel,
    inGroupMessage,
    responseUrl,
    triggerId,
    copy: { ...copy, commands: facts.names ?? copy.commands },
    about: (id) => contextFrom(api, id === channelId ? facts : { ...facts, channelId: id, ...elsewhere }),
    reply: async (message, options = {}) => {
      try {
        const shown = madeInChannel ? message : aboutChannel(message, channelId);
        if (responseUrl !== null)
          return await answer(api, responseUrl, shown, { replace: options.replace && !inPublicMessage });
        if (showsReplies && channelId !== null)
          return await showTo(api, person, { ...showsReplies, channelId }, message);
      } catch (error) {
        log.warn(
          { err: error, ...contextFields({ person, channelId: channelId ?? '' }) },
          'Slack did not accept an answer; sent as a direct message',
        );
      }
      await directMessage(api, person, aboutChannel(message, channelId));
    },
  };
}
