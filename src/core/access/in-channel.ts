import type { Channel, SlackPerson } from '../model/people.ts';

/** Whether a person is in a conversation. `unknown`: Slack could not be asked, or did not say. */
export type InChannel = 'yes' | 'no' | 'unknown';

/** Asks Slack whether a person is in a conversation; a yes is cached for a few seconds. Never throws. */
export type IsInChannel = (person: SlackPerson, channelId: Channel['channelId']) => Promise<InChannel>;
