import { randomBytes } from 'node:crypto';
import { makeCallbackTokens } from '../../src/core/receiving/callback-token.ts';
import { connect } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrate.ts';
import { makeSealing } from '../../src/store/sealing/sealing.ts';
import { parseTokenKeys } from '../../src/store/sealing/token-keys.ts';
import * as links from '../../src/store/tables/links.ts';
import { readOrCreateSecret } from '../../src/store/tables/secrets.ts';
import type { Target } from '../load/notification.ts';
import { benchTokenKeys, ownerId, publicUrl, teamId } from './keys.ts';
import { silentLog } from './silent-log.ts';

/** Number of channels, each with one subscription, unless a figure asks for more. */
export const channelCount = 500;

/** SQL for the subscription id of that number: a big fill must find it again in SQL. */
export const subscriptionIdSql = (number: string): string => `md5('bench' || ${number})::uuid`;

/**
 * Creates all tables in an empty database, with what linking and subscribing would leave: a link, and in each channel an active
 * comprehensive subscription to a project of its own, with a lane for the channel. They are a day old, because recent subscriptions are
 * also checked for duplicates; and their channels have just been looked up at Slack, which happens once a day. Returns the targets of
 * their notifications.
 */
export async function seed(url: string, channels = channelCount): Promise<Target[]> {
  const connection = { connectionString: url };
  await migrate({ connection, log: silentLog });
  const database = connect({ connection, log: silentLog });
  try {
    const sealing = makeSealing(parseTokenKeys(benchTokenKeys));
    const { db } = database;
    const makeKey = () => randomBytes(32).toString('base64');
    const key = await readOrCreateSecret({ db, sealing }, 'callback tokens', makeKey);
    const tokens = makeCallbackTokens({ key: Buffer.from(key, 'base64') });
    const now = new Date();
    await links.write(database.db, sealing, {
      person: { enterpriseId: null, teamId, userId: ownerId },
      grant: {
        accessToken: 'bench-access',
        accessExpiresAt: new Date(now.getTime() + 24 * 3_600_000),
        refreshToken: 'bench-refresh',
        refreshExpiresAt: null,
        account: 'owner@example.com',
      },
      now,
      replaces: () => true,
    });
    const targets = Array.from({ length: channels }, (_, number) => targetOf(number, tokens.make()));
    await database.pool.query(
      `with given as materialized (
         select ${subscriptionIdSql('(ordinality - 1)')} as id, *
         from unnest($4::text[], $5::text[], $6::bytea[], $7::bigint[]) with ordinality as t(channel, project, hash, record, ordinality)),
       added as (
         insert into plancast.subscriptions (id, team_id, channel_id, owner_user_id, kind, parent_id, comprehensive, filters, delivery,
           threads, state, resource_name, created_at, changed_at)
         select id, $1, channel, $2, 'project', project, true, '{"only":[],"paths":[],"by":[],"notBy":[]}', '{"when":"live"}', false,
           'active', 'Project ' || record, now() - interval '1 day', now() - interval '1 day'
         from given)
       insert into plancast.remotes (subscription_id, team_id, link_id, token_hash, callback_base, comprehensive, service_id, asked_at, made_at)
       select id, $1, (select id from plancast.links where user_id = $2), hash, $3, true, record, now() - interval '1 day', now() - interval '1 day'
       from given`,
      [
        teamId,
        ownerId,
        publicUrl,
        targets.map(({ channelId }) => channelId),
        targets.map(({ projectId }) => projectId),
        targets.map(({ token }) => tokens.hash(token)),
        targets.map(({ recordId }) => recordId),
      ],
    );
    await database.pool.query(
      'insert into plancast.lanes (team_id, channel_id, fence) select $1, unnest($2::text[]), 0',
      [teamId, targets.map(({ channelId }) => channelId)],
    );
    await database.pool.query(
      `insert into plancast.channels (team_id, channel_id, is_shared, looked_at) select $1, unnest($2::text[]), false, now()`,
      [teamId, targets.map(({ channelId }) => channelId)],
    );
    return targets;
  } finally {
    await database.close();
  }
}

function targetOf(number: number, token: string): Target {
  const digits = String(100_000_000 + number * 1_013);
  return {
    token,
    channelId: `C0BENCH${String(number).padStart(4, '0')}`,
    recordId: 100_000 + number,
    projectId: `${digits.slice(0, 3)}-${digits.slice(3, 6)}-${digits.slice(6)}`,
  };
}
