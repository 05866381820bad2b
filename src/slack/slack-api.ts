import type { Channel, SlackPerson } from '../core/model/people.ts';
import type { Log } from '../lib/log.ts';
import type { RecordKind, Records } from '../lib/records.ts';
import type { Installations } from './installing/installations.ts';
import type { WebClients } from './installing/web-clients.ts';

/** What every function of this folder that asks Slack, or does something there, is handed. */
export type SlackApi = Installations &
  WebClients & {
    /** Whether the bot acts with a token of one workspace instead of installations. */
    readonly isOwnToken: boolean;
    /** Returns the kept answers of one kind. */
    readonly records: <T>(kind: RecordKind<T>) => Records<T>;
    /** People's own conversations with the bot, the only direct messages that it serves. */
    readonly directMessages: {
      readonly of: (person: SlackPerson) => Promise<string | null>;
      readonly isOwn: (channel: Channel) => Promise<boolean>;
      readonly keep: (person: SlackPerson, channelId: string) => Promise<void>;
    };
    /** Whether the bot was removed from a channel. Then it posts nothing there, even if `chat:write.public` would allow it. */
    readonly wasRemoved: (channel: Channel) => Promise<boolean>;
    /** Whether links are previewed, where a workspace has granted it. */
    readonly previews: boolean;
    /** Where an admin installs the bot again. */
    readonly installUrl: string;
    /** The only origins accepted for a `response_url`: Slack's own host and that of the configured Web API. */
    readonly responseOrigins: readonly string[];
    readonly log: Log;
  };

/** Returns what hands a function of this folder its `SlackApi`. */
export function onApi(api: SlackApi) {
  return <Rest extends unknown[], Result>(run: (api: SlackApi, ...rest: Rest) => Result) =>
    (...rest: Rest): Result =>
      run(api, ...rest);
}
