import type { Channel, SlackPerson } from '../model/people.ts';

/** Whether a person is in a conversation. `unknown`: Slack could not be asked, or did not say. */
export type InChannel = 'yes' | 'no' | 'unknown';

/** Asks Slack, or a record of a minute or two ago. Never throws. */
export type IsInChannel = (person: SlackPerson, channelId: Channel['channelId']) => Promise<InChannel>;
