import { afterAll, beforeAll, expect, test } from 'vitest';
import { statusPage } from '../../src/commands/lib/status-page.ts';
import { makeSealing } from '../../src/store/sealing/sealing.ts';
import { parseTokenKeys } from '../../src/store/sealing/token-keys.ts';
import type { StatusCount } from '../../src/store/status.ts';
import { makeKeyv, makeSealedRecords } from '../../src/store/tables/keyv-records.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';
import { environment, runCommand } from './run-command.ts';
import { keys, startSystems } from './systems.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase('status');
});
afterAll(() => database.drop());

const subscriptions = (teamId: string, channelId: string, state: string, count: number) => `
  insert into plancast.subscriptions (team_id, channel_id, owner_user_id, kind, parent_id, comprehensive, filters, delivery, threads,
    state, created_at, changed_at)
  select '${teamId}', '${channelId}', 'U1', 'project', '${state}' || i, true, '{}', '{}', false,
    '${state}', now(), now()
  from generate_series(1, ${count}) i;`;
const events = (teamId: string, state: string, reason: string | null, count: number, age: string) => `
  insert into plancast.events (notification_id, subscription_id, team_id, channel_id, state, reason, received_at)
  select '${state}${reason}' || i, gen_random_uuid(), '${teamId}', 'C1', '${state}', ${reason === null ? 'null' : `'${reason}'`},
    now() - interval '${age}'
  from generate_series(1, ${count}) i;`;

test('an operator sees what exists, what is pending, and where nothing moves, in total and for each workspace', async () => {
  await database.connect().pool.query(
    `insert into plancast.links (enterprise_id, team_id, grid_id, user_id, account, state, linked_at, refreshed_at)
       select 'E1', 'T1', 'E1', 'U' || i, 'dana@example.com', case when i > 3 then 'relink' else 'active' end, now(), now()
       from generate_series(1, 5) i;
     insert into plancast.lanes (team_id, channel_id, paused_reason) values ('T1', 'C9', 'is_archived'), ('T1', 'C8', null);
     insert into plancast.lanes (team_id, channel_id, moved_at)
       values ('T2', 'C1', now() - interval '7 minutes'), ('T1', 'C7', now() - interval '2 minutes');
     insert into plancast.keyv values ('sealed.installations:T3', '{}'), ('sealed.installations:E1', '{}');
     ${subscriptions('T1', 'C1', 'active', 4)} ${subscriptions('T1', 'C9', 'paused', 1)}
     ${subscriptions('T2', 'C2', 'ended', 2)} ${subscriptions('T2', 'C2', 'pending', 1)}
     ${events('T1', 'posted', null, 50, '1 hour')} ${events('T2', 'pending', null, 12, '10 minutes')}
     ${events('T1', 'pending', 'digest', 3, '1 hour')} ${events('T1', 'pending', 'muted', 2, '2 hours')}
     ${events('T2', 'dead', 'invalid_blocks', 1, '3 days')}
     update plancast.events set channel_id = 'C7' where team_id = 'T1' and reason = 'digest' and notification_id = 'pendingdigest1';
     update plancast.events set reason = null where channel_id = 'C7'`,
  );

  const { code, stdout, stderr } = await runCommand('src/commands/status.ts', [], {
    ...environment,
    DATABASE_URL: database.url,
    SLACK_API_URL: 'http://127.0.0.1:1/api',
  });

  expect(stdout).toBe(`\
workspaces        3
links             5  3 active, 2 to be linked again
subscriptions     8  4 active, 1 paused, 1 being set up, 2 ended
paused channels   1
waiting events   13  the oldest for 60 min
held events       4  2 for a digest, 2 by a mute
dead letters      1  the oldest for 3 d

Paused channels
T1/C9  is_archived

Stuck channels, which have something to post
T2/C1  for 7 min

workspace  links  active  paused  being set up  paused channels  waiting  oldest  held  dead letters
T2             0       0       0             1                0       12  10 min     0             1
E1/T1          5       4       1             0                1        1  60 min     4             0
T3             0       0       0             0                0        0  -          0             0
`);
  expect(stderr).toBe('');
  expect(code).toBe(0);
});

test('an operator reads what is off because an installation lacks its scopes, and where to install the bot again', async () => {
  const systems = await startSystems(database.url, {
    'POST /slack/api/auth.test': {
      headers: { 'x-oauth-scopes': 'commands, chat:write' },
      body: '{"ok":true}',
    },
  });
  const { environment: ours } = systems;
  const link = { SERVICE_PROJECT_URL: 'https://plans.example/{project}' };
  const one = await runCommand('src/commands/status.ts', [], { ...ours, ...link });

  const sealing = makeSealing(parseTokenKeys(keys));
  const records = makeSealedRecords<object>({
    keyv: makeKeyv(database.connect()),
    namespace: 'installations',
    sealing,
  });
  await records.set('T3', {
    team: { id: 'T3' },
    bot: {
      token: 'xoxb-3',
      scopes: ['commands', 'chat:write.public', 'users:read.email', 'app_mentions:read'],
    },
  });
  const app = { SLACK_BOT_TOKEN: undefined, SLACK_CLIENT_ID: '1.2', SLACK_CLIENT_SECRET: 'hunter2' };
  const many = await runCommand('src/commands/status.ts', [], { ...ours, ...link, ...app });
  const without = await runCommand('src/commands/status.ts', [], { ...ours, ...app });
  systems.close();

  expect(one.stdout).toContain(
    `Off for lack of scopes
the workspace of SLACK_BOT_TOKEN  posting in public channels without an invitation (chat:write.public), matching people by email address (users:read.email), answers to mentions (app_mentions:read), previews of links (links:read, links:write)
To grant them, install the bot again: https://api.slack.com/apps`,
  );
  expect(many.stdout).toContain(
    `Off for lack of scopes
T3  previews of links (links:read, links:write)
To grant them, install the bot again: ${ours.PUBLIC_URL}/slack/install`,
  );
  expect(without.stdout).not.toContain('Off for lack');
});

const nothingElse = { pausedChannels: [], stuckChannels: [], off: [], installUrl: '', now: new Date() };

test('a bot that nobody uses yet shows zeros', () => {
  const page = statusPage({ counts: [], ...nothingElse });

  expect(page).toMatch(/^workspaces +0\nlinks +0\n(.+ 0\n){4}dead letters +0$/);
});

test('of a thousand workspaces, those with the most pending events are listed', () => {
  const waiting = (teamId: string, count: number): StatusCount => ({
    ...{ kind: 'event', state: 'waiting', enterpriseId: null, oldest: new Date() },
    teamId,
    count,
  });
  const counts = Array.from({ length: 1_000 }, (_, index) => waiting(`T${index}`, index));

  const lines = statusPage({ counts, ...nothingElse }).split('\n');

  expect(lines).toHaveLength(210);
  expect(lines[9]).toMatch(/^T999 .+ 999 +0 s/);
  expect(lines.at(-1)).toBe('and 800 more workspaces');
});

test('an unknown argument is refused instead of ignored', async () => {
  const { code, stderr } = await runCommand('src/commands/status.ts', ['all'], {});

  expect(stderr).toMatch(/^Usage: npm run status .+\n$/);
  expect(code).toBe(2);
});
