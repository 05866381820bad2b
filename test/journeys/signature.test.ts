import { createHmac } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { bodyOf } from '../support/notify.ts';
import { type Stage, setStage } from '../support/stage.ts';

let stage: Stage;
afterEach(() => stage.close());

const minute = 60_000;

/** Sends a notification as the service would, signed with a Key. Returns the status. */
async function send({ uri, id }: { uri: string; id: number }, key: string, name: string): Promise<number> {
  const body = JSON.stringify({ SubscriptionId: id, ...bodyOf({ item: name, name: `${name}.pdf` }) });
  const signature = createHmac('sha256', Buffer.from(key, 'hex')).update(body).digest('hex');
  const answer = await fetch(uri, { method: 'POST', headers: { 'x-signature': signature }, body });
  await answer.body?.cancel();
  return answer.status;
}

async function follow(): Promise<{ uri: string; id: number; key: string }> {
  const { slack, service, dana, plans } = stage;
  await stage.link(dana, 'dana@example.com');
  await stage.type(dana, '/subscribe project 412-873-550');
  await slack.waitForMessage(plans, 'to this channel');
  const [subscription] = service.subscriptions.all();
  if (!subscription) throw new Error('nothing was subscribed');
  return subscription;
}

test('if the service turns out to sign, observe mode learns the rule and accepts everything', async () => {
  stage = await setStage({ name: 'observe' });
  stage.service.switches.set({ signatureScheme: 'sha256-base64', signatureHeader: 'X-Signature' });
  await follow();
  stage.service.act('dana@example.com', {
    action: 'create-file',
    project: 'Harbour Tower',
    name: 'Signed.pdf',
  });
  await stage.slack.waitForMessage(stage.plans, 'Signed.pdf');
  const { rows } = await stage.database
    .connect()
    .pool.query('select signature_rule as rule, signature_matches as fits from plancast.subscriptions');
  expect(rows).toEqual([{ rule: 'x-signature:sha256-base64', fits: 1 }]);
});

test('while a remote subscription is replaced under enforce, and for ten minutes after, notifications from the old one are checked with its own Key and posted', async () => {
  stage = await setStage({ name: 'replaced', env: { SERVICE_SIGNATURE: 'enforce:x-signature:sha256-hex' } });
  const { slack, service, dana, plans } = stage;
  const old = await follow();
  service.faults.set({ endpoint: 'create', kind: 'delay', ms: 1_500, times: 1 });
  await stage.type(dana, '/subscribe project 412-873-550 itself');
  await expect.poll(() => rows()).toEqual([{ standing: false }]);

  const during = [await send(old, old.key, 'During'), await send(old, 'ab'.repeat(32), 'Forged')];
  await expect.poll(() => rows()).toEqual([{ standing: true }]);
  const made = service.subscriptions.all().find(({ id }) => id !== old.id);
  if (!made) throw new Error('no replacement was made');
  await expect.poll(() => service.subscriptions.all()).toHaveLength(1);
  const after = [
    await send(old, old.key, 'Late'),
    await send(old, made.key, 'With the new Key'),
    await send(made, made.key, 'New'),
    await send(made, old.key, 'With the old Key'),
  ];
  stage.advance(9 * minute);
  const nineMinutes = await send(old, old.key, 'Very late');
  stage.advance(2 * minute);
  const elevenMinutes = await send(old, old.key, 'Too late');
  const asked = await fetch(old.uri);
  const still = await send(made, made.key, 'Still');

  expect(during).toEqual([200, 401]);
  expect(after).toEqual([200, 401, 200, 401]);
  expect(nineMinutes).toBe(200);
  expect([elevenMinutes, asked.status]).toEqual([410, 410]);
  expect(still).toBe(200);
  await slack.waitForMessage(plans, 'Still');
  expect(
    slack
      .messages(plans)
      .map(({ text }) => text)
      .join(),
  ).not.toMatch(/Forged|With the|Too late/);

  async function rows() {
    const found = await stage.database
      .connect()
      .pool.query(
        'select made_at is not null as standing from plancast.remotes order by asked_at desc limit 1',
      );
    return found.rows;
  }
});

test('under enforce, what the service sends for a subscription whose answer was lost is to be sent again, also once the bot has found it', async () => {
  stage = await setStage({ name: 'lost', env: { SERVICE_SIGNATURE: 'enforce:x-signature:sha256-hex' } });
  const { service, dana } = stage;
  await stage.link(dana, 'dana@example.com');
  service.faults.set({ endpoint: 'create comprehensive', kind: 'reset', committed: true, times: 1 });
  service.faults.set({ endpoint: 'create comprehensive', kind: 'answer', status: 503 });
  await stage.type(dana, '/subscribe project 412-873-550');
  await expect.poll(() => service.subscriptions.all()).toHaveLength(1);
  const [lost] = service.subscriptions.all();
  if (!lost) throw new Error('nothing was made');
  const isLost = 'select from plancast.remotes where lost_at is not null and (made_at is null) = $1';
  const rowsOf = async (unknown: boolean) =>
    (await stage.database.connect().pool.query(isLost, [unknown])).rows.length;
  await expect.poll(() => rowsOf(true)).toBe(1);
  const before = await send(lost, lost.key, 'Unknown');

  stage.advance(minute);
  await stage.bot.runChore('sweep');

  expect(await rowsOf(false)).toBe(1);
  expect([before, await send(lost, lost.key, 'Found')]).toEqual([503, 503]);
});

test('under enforce, a subscription whose Key cannot be opened does not keep others from being accepted', async () => {
  stage = await setStage({
    name: 'damaged key',
    env: { SERVICE_SIGNATURE: 'enforce:x-signature:sha256-hex' },
  });
  const broken = await follow();
  const { slack, service, dana } = stage;
  const channel = slack.addChannel({ name: 'beside', members: [dana] });
  await stage.type(dana, '/subscribe project 538-204-917', channel);
  await slack.waitForMessage(channel, 'to this channel');
  const whole = service.subscriptions.all().find(({ id }) => id !== broken.id);
  if (!whole) throw new Error('nothing was subscribed');
  await stage.database.connect().pool.query(
    `update plancast.remotes set sealed_key = overlay(sealed_key placing 'AAAA' from length(sealed_key) - 3)
       where service_id = $1`,
    [broken.id],
  );

  const sent = Array.from({ length: 40 }, (_, index) => {
    const of = index % 2 === 0 ? broken : whole;
    return send(of, of.key, `Sheet ${index}`);
  });
  const statuses = await Promise.all(sent);
  expect(statuses.filter((_, index) => index % 2 === 1)).toEqual(Array(20).fill(200));
  expect(statuses.filter((_, index) => index % 2 === 0)).toEqual(Array(20).fill(503));
});
