import Keyv from 'keyv';
import { makeWebClients, webClientOptions } from '../../src/slack/installing/web-clients.ts';
import type { SlackApi } from '../../src/slack/slack-port.ts';
import { makeRecords } from '../../src/store/tables/keyv-records.ts';
import { silentLog } from './log.ts';

const silent = () => {};
const logger = {
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
  setLevel: silent,
  setName: silent,
  getLevel: () => 'info' as never,
};

type Clients = Partial<Omit<Parameters<typeof makeWebClients>[0], 'options'>> & { readonly apiUrl: string };

/** Who the bot is in every workspace, unless a test says something else. */
export const anyIdentity = {
  botToken: 'xoxb-any',
  botName: 'plancast',
  workspaceName: null,
  scopes: null,
};

/** Returns what the functions of the Slack adapter are handed, with a token of one workspace and Slack at an address. */
export function slackApiAt({
  apiUrl,
  identityOf = async () => anyIdentity,
  now = () => performance.now(),
}: Clients): SlackApi {
  const keyv = new Keyv();
  const nothing = async () => undefined;
  return {
    ...makeWebClients({ options: webClientOptions({ apiUrl, logger }), identityOf, now }),
    isOwnToken: true,
    previews: false,
    installUrl: 'https://bot.example.com/slack/install',
    installed: { get: nothing, set: nothing, deleteOld: nothing },
    lock: (_name, work) => work(),
    clock: { now: () => new Date() },
    records: (kind) => makeRecords({ keyv, ...kind }),
    directMessages: { of: async () => null, isOwn: async () => false, keep: nothing },
    wasRemoved: async () => false,
    responseOrigins: [],
    log: silentLog,
  };
}
