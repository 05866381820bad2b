import type { Keyv } from 'keyv';
import { hasTemplates } from '../core/model/service-urls.ts';
import { installPaths } from '../http/installing/install-routes.ts';
import { makeSlots } from '../lib/later.ts';
import { makeInstalled, makeOneWorkspace } from '../slack/installing/identity.ts';
import type { Dated, Installations } from '../slack/installing/installations.ts';
import { makeBoltLogger, makeWebClients, webClientOptions } from '../slack/installing/web-clients.ts';
import { type SlackApi, slackPort } from '../slack/slack-port.ts';
import { hold } from '../store/locks.ts';
import * as channels from '../store/tables/channels.ts';
import * as directMessages from '../store/tables/direct-messages.ts';
import { makeRecords, makeSealedRecords } from '../store/tables/keyv-records.ts';
import { readOrCreateSecret } from '../store/tables/secrets.ts';
import * as seenRequests from '../store/tables/seen-requests.ts';
import type { Foundation } from './compose.ts';

export type SlackRoom = Awaited<ReturnType<typeof composeSlack>>;

/** Installations that a process can lock at once: each lock holds one of the pool's connections, and needs another one to write. */
const installationsHeld = 2;

/** Composes everything that the bot can ask or do in Slack. */
export async function composeSlack({ env, database, sealing, clock, log }: Foundation, keyv: Keyv) {
  const { db } = database;
  const { access, apiUrl, allowedResponseOrigins: responseOrigins } = env.slack;
  const logger = makeBoltLogger(log);
  const clientOptions = webClientOptions({ apiUrl, logger });
  const previews = hasTemplates(env.service.links);
  const slots = makeSlots(installationsHeld);
  const installations: Installations = {
    installed: makeSealedRecords<Dated>({ keyv, namespace: 'installations', sealing }),
    lock: (name, work) => slots(() => hold(db, name, work)),
    clock,
  };
  const own =
    access.kind === 'one workspace'
      ? makeOneWorkspace(access.botToken, clientOptions)
      : makeInstalled({
          ...access,
          ...installations,
          redirectUri: `${env.http.publicUrl}${installPaths.redirect}`,
          // With another address of the Web API, the page is on that host, too.
          authorizationUrl: new URL('/oauth/v2/authorize', apiUrl).href,
          previews,
          clientOptions,
          stateKey: Buffer.from(await readOrCreateSecret({ db, sealing }, 'install states'), 'base64'),
          takeId: (id, at) => seenRequests.take(db, id, at),
          log,
        });
  const api: SlackApi = {
    ...installations,
    ...makeWebClients({ options: clientOptions, identityOf: own.identityOf, now: () => performance.now() }),
    isOwnToken: access.kind === 'one workspace',
    previews,
    installUrl: env.slack.installUrl,
    records: (kind) => makeRecords({ keyv, ...kind }),
    directMessages: {
      of: (person) => directMessages.of(db, person),
      isOwn: (channel) => directMessages.isOwn(db, channel),
      keep: (person, channelId) => directMessages.keep(db, person, channelId),
    },
    wasRemoved: (channel) => channels.wasRemoved(db, channel),
    responseOrigins,
    log,
  };
  return {
    port: slackPort(api),
    logger,
    clientOptions,
    authorize: own.authorize,
    installer: own.installer,
  };
}
