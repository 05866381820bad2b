import { afterEach, expect, test } from 'vitest';
import { type Stage, setStage } from '../support/stage.ts';

let stage: Stage;
afterEach(() => stage.close());

async function follow(): Promise<{ uri: string; id: number }> {
  const { slack, service, dana, plans } = stage;
  await stage.link(dana, 'dana@example.com');
  await stage.type(dana, '/subscribe project 412-873-550');
  await slack.waitForMessage(plans, 'subscribed this channel');
  const [subscription] = service.subscriptions.all();
  if (!subscription) throw new Error('nothing was subscribed');
  return subscription;
}

test('where the service turns out to sign, observing learns by which rule and lets everything in', async () => {
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

test('enforcing lets in what the service signed, and answers 401 to who cannot', async () => {
  stage = await setStage({
    name: 'enforce',
    env: { SERVICE_SIGNATURE: 'enforce:x-signature:sha256-hex' },
  });
  stage.service.switches.set({ signatureScheme: 'sha256-hex', signatureHeader: 'X-Signature' });
  const { uri } = await follow();
  stage.service.act('dana@example.com', {
    action: 'create-file',
    project: 'Harbour Tower',
    name: 'Signed.pdf',
  });
  await stage.slack.waitForMessage(stage.plans, 'Signed.pdf');
  const forged = JSON.stringify({
    Id: '11111111-2222-4333-8444-555555555555',
    Resource: '/Primes/1/Projects/412-873-550/',
    ExtraInformation: {
      ResourceType: 'Projects',
      EventType: 'Update',
      Name: 'Forged',
      User: 'x@example.com',
    },
  });
  const answers = [];
  for (const headers of [{}, { 'x-signature': 'ab' }, { 'x-signature': '0'.repeat(64) }]) {
    const response = await fetch(uri, { method: 'POST', headers, body: forged });
    answers.push(response.status);
  }
  expect(answers).toEqual([401, 401, 401]);
  const { rows } = await stage.database
    .connect()
    .pool.query('select count(*)::int as count from plancast.events');
  expect(rows).toEqual([{ count: 1 }]);
});
