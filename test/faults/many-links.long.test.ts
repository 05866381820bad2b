import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import type { Dated } from '../../src/slack/installing/installations.ts';
import { makeSealedRecords } from '../../src/store/tables/keyv-records.ts';
import { linkDirectly } from '../support/link-directly.ts';
import { nameOf, officeWith } from '../support/office.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { installedEnv, makeTenants } from '../support/tenants.ts';

/*
 * How many links four worker processes check, with a million links in the database, a service that takes 20 ms and Slack's limits in force. Of
 * the million, `due` are to be checked, each with a remote subscription. The processes begin by themselves, a minute after their start.
 */
const size = {
  links: Number(process.env.LINKS ?? 1_000_000),
  due: Number(process.env.DUE ?? 1_600),
  processes: 4,
  serviceMs: 20,
};
const accounts = Array.from({ length: size.due }, (_, at) => `person-${at}@example.com`);
const pollMs = 100;
/** Slack's limit of `users.info`, a minute and workspace. */
const askedAMinute = 100;

for (const workspaces of [1, 100, 10_000]) {
  test(`the links of ${workspaces} workspaces are checked as fast as they may be, and Slack is never asked too often`, async () => {
    const stage = await setStage({
      name: `many links ${workspaces}`,
      rateLimit: 'strict',
      env: { ...installedEnv, ROLE: 'web' },
      seed: officeWith(accounts),
    });
    onTestFinished(() => stage.close());
    const first = await stage.addCore();
    const people = await addPeople(stage, first, workspaces);
    await addLinks(stage, first, people);
    stage.service.faults.set({ endpoint: 'every', kind: 'delay', ms: size.serviceMs });
    const asked = stage.slack.calls.length;
    const called = stage.service.log.of('request').length;

    const { pool } = stage.database.connect();
    const countDue = async () => {
      const { rowCount } = await pool.query(
        `select from plancast.links where check_at <= now() and given_up_at is null limit ${size.due}`,
      );
      return rowCount ?? 0;
    };
    for (let started = 0; started < size.processes; started += 1)
      await stage.startChild({ env: { ROLE: 'worker' } });
    while ((await countDue()) === size.due) await sleep(pollMs);
    const began = performance.now();
    while ((await countDue()) > 0) await sleep(pollMs);
    const seconds = (performance.now() - began) / 1_000;

    const perSecond = size.due / seconds;
    const looks = stage.slack.calls.slice(asked).filter(({ method }) => method === 'users.info');
    expect(looks.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
    const teamOf = new Map(people.map(({ userId, teamId }) => [userId, teamId]));
    const perTeam = Map.groupBy(looks, ({ args }) => teamOf.get(String(args.user)));
    const most = Math.max(0, ...[...perTeam.values()].map(({ length }) => length));
    expect(most / Math.max(1, seconds / 60)).toBeLessThanOrEqual(askedAMinute);
    expect(stage.service.subscriptions.all()).toHaveLength(size.due);
    const report = {
      workspaces,
      links: size.links,
      checked: size.due,
      seconds: Math.round(seconds * 10) / 10,
      perSecond: Math.round(perSecond * 10) / 10,
      aDay: Math.round(perSecond * 86_400),
      calls: stage.service.log.of('request').length - called,
      looks: looks.length,
      mostLooksOfAWorkspace: most,
    };
    process.stderr.write(`${JSON.stringify(report)}\n`);
    // A million in a day.
    expect(perSecond * 86_400).toBeGreaterThan(1_000_000);
  }, 1_200_000);
}

type Core = Awaited<ReturnType<Stage['addCore']>>;
type Person = { readonly teamId: string; readonly userId: string; readonly account: string };

/** Installs the bot into as many of the workspaces as the people who are due can be in, with one of them in each in turn. */
async function addPeople(stage: Stage, { bot, sealing }: Core, workspaces: number): Promise<Person[]> {
  const { slack } = stage;
  const tenant = makeTenants(() => stage).tenant('Northgate');
  await tenant.install();
  const installed = makeSealedRecords<Dated>({ keyv: bot.keyv, namespace: 'installations', sealing });
  const installation = await installed.get(tenant.teamId);
  if (!installation) throw new Error('the installation is not stored');
  const teams = [tenant.teamId];
  while (teams.length < Math.min(workspaces, size.due)) {
    const { teamId, botToken } = slack.addWorkspace({ name: `Workspace ${teams.length}` });
    const copy = structuredClone(installation);
    const withTeam = {
      ...copy,
      team: { id: teamId, name: teamId },
      ...(copy.bot ? { bot: { ...copy.bot, token: botToken } } : {}),
    };
    await installed.set(teamId, withTeam);
    teams.push(teamId);
  }
  return accounts.map((account, at) => {
    const teamId = teams[at % teams.length] ?? tenant.teamId;
    const { id } = slack.addUser({
      teamId,
      name: nameOf(account),
      realName: nameOf(account),
      email: account,
    });
    return { teamId, userId: id, account };
  });
}

/** Adds a link that is due for each person, with a remote subscription, and all the others, which are not. */
async function addLinks(
  { service, database, bot: { publicUrl } }: Stage,
  core: Core,
  people: readonly Person[],
): Promise<void> {
  const { bot } = core;
  // Without the bot's limit for a statement.
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    `insert into plancast.links (team_id, grid_id, user_id, state, linked_at, refreshed_at, check_at)
     select 'T' || i % 10000, 'T' || i % 10000, 'UX' || i, 'active', now(), now(), now() + interval '1 day'
     from generate_series(1, ${size.links - size.due}) i`,
  );
  const tower = service.data.project('Harbour Tower');
  for (const { teamId, userId, account } of people) {
    const linkId = await linkDirectly(core, { enterpriseId: null, teamId, userId }, account);
    const token = bot.tokens.make();
    const uri = `${publicUrl}/notifications/${token}`;
    const place = { kind: 'project', primeId: tower.primeId, projectId: tower.id } as const;
    const { id } = service.subscriptions.add({ user: account, place, comprehensive: true, uri });
    // A day after the last check its access token is no longer valid.
    await client.query(
      `with link as (update plancast.links set check_at = now() - interval '1 minute', access_expires_at = now() where id = $1),
         subscription as (
           insert into plancast.subscriptions (team_id, channel_id, owner_user_id, kind, parent_id, comprehensive, filters, delivery, threads,
             state, created_at, changed_at)
           values ($2, 'C' || $3, $3, 'project', '412-873-550', true, '{"only":[],"paths":[],"by":[],"notBy":[]}', '{"when":"live"}', false,
             'active', now(), now()) returning id)
       insert into plancast.remotes (subscription_id, team_id, link_id, token_hash, callback_base, comprehensive, service_id, asked_at, made_at)
       select id, $2, $1, $4, $5, true, $6, now(), now() from subscription`,
      [linkId, teamId, userId, bot.tokens.hash(token), publicUrl, id],
    );
  }
  await client.query('vacuum analyze');
  await client.end();
}
