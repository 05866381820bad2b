import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'vitest';
import pg from 'pg';
import { setStage } from '../support/stage.ts';
import { lookFromOutside } from './outside.ts';
import { writeFileSync, appendFileSync } from 'node:fs';

test('scratch', { timeout: 120_000 }, async () => {
  writeFileSync('/tmp/scratch.txt', '');
  const out = (s: string) => appendFileSync('/tmp/scratch.txt', `${s}\n`);
  const stage = await setStage({ name: 'scratch', onLog: (l: string) => { if (/"level":(40|50)/.test(l)) out(`LOG ${l}`); } } as any);
  const outside = lookFromOutside(stage);
  const { slack, dana, sam, ravi, guest, service } = stage;
  const show = (from: number) => { for (const m of slack.allMessages.slice(from)) out(`    ${m.viewerId ? 'PRIV' : 'ALL '} ${m.via} ${m.deletedAt ? 'DEL' : ''} | ${m.text.replaceAll('\n', ' / ')} | ${JSON.stringify(m.blocks).match(/"action_id":"[^"]*"/g) ?? ''}`); };
  const run = async (u: any, line: string, ch = stage.plans, wait = 350) => {
    const from = slack.allMessages.length;
    const t0 = Date.now();
    const r = await stage.type(u, line, ch);
    while (slack.allMessages.length === from && Date.now() - t0 < 2500) await sleep(20);
    await sleep(wait);
    out(`> ${line}   [${r.status} ${Date.now() - t0}ms]`);
    show(from);
    stage.advance(3000);
  };
  try {
    await outside.link(dana, 'dana@example.com');
    const r = outside.channel();
    for (const line of ['/subscribe project 412-873-550','/subscribe project 412-873-550 itself','/subscriptions', '/subscribe project 412-873-550']) await run(dana, line, r, 1000); if (1) return;
    const q = new pg.Client({ connectionString: stage.database.url }); await q.connect();
    out(JSON.stringify((await q.query("select table_schema||'.'||table_name t from information_schema.tables where table_schema not in ('pg_catalog','information_schema')")).rows));
    out(JSON.stringify((await q.query("select name, state, start_after, data from pgboss.job limit 20").catch(e => ({rows: e.message}))).rows));
    out(JSON.stringify((await q.query("select * from plancast.subscriptions").catch(e => ({rows: e.message}))).rows));
    out(JSON.stringify(service.log.of('request').map(r => [r.method, r.path, r.status, r.form])));
    await q.end();
    // code path
    const offer = await outside.ask(ravi, '/subscribe session 731-450-286', { channel: r });
    const page = await stage.linkInBrowser(String(slack.button(offer, 'Link').element.url), 'sam@example.com');
    out(page);
    await run(ravi, '/plancast link AAAAAA', r);
    await run(ravi, '/plancast status', r);
    await run(dana, '/subscribe project 412-873-550 by @sam digest daily 9:00', r, 1000);
    await run(dana, '/subscribe project 412-873-550 by', r, 500);
    await run(dana, '/subscribe project', r, 500);
    await run(dana, '/subscribe project 41287355', r, 500);
    await run(dana, '/subscribe project 412-873-550 only created', r, 500);
    await run(dana, '/subscribe folder 412-873-550', r, 500);
    await run(dana, '/plancast mute', r, 500);
    await run(dana, '/subscribe https://x.example/p/412873550', r, 500);
    await run(dana, '/subscribe file 412-873-550 50213', r, 500);
    await run(dana, '/plancast mute banana', r, 500);
    const stranger = slack.addUser({ isStranger: true, name: 'olga' }); r.members.add(stranger.id);
    await run(stranger, '/plancast help', r, 500);
    const outsider = slack.addUser({ name: 'otto' });
    await run(outsider, '/subscriptions', r, 500);
    await run(outsider, '/unsubscribe project 412-873-550', r, 500);
    const pub = outside.channel({ botIn: false } as any);
    await run(dana, '/subscribe project 538-204-917', pub, 1000);
    await run(dana, '/plancast unlink', pub, 500);
    out(JSON.stringify(slack.allMessages.at(-1)?.blocks, null, 1));
  } finally { await outside.close(); await stage.close(); }
});
