import type { SlackPerson } from '../model/people.ts';

/** Returns the ids of a person's channels, as far as the bot can see them. Null if Slack could not be asked. Never throws. */
export type ChannelsOf = (person: SlackPerson) => Promise<ReadonlySet<string> | null>;
