import type { SlackPerson } from '../model/people.ts';

/** Ids of the channels that a person is in, as far as the bot can see them. Null where Slack could not be asked. Never throws. */
export type ChannelsOf = (person: SlackPerson) => Promise<ReadonlySet<string> | null>;
