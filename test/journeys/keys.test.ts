import { afterEach, expect, test } from 'vitest';
import { reseal } from '../../src/store/sealing/reseal.ts';
import { makeSealing } from '../../src/store/sealing/sealing.ts';
import { parseTokenKeys } from '../../src/store/sealing/token-keys.ts';
import { testTokenKeys } from '../support/bot.ts';
import { silentLog } from '../support/log.ts';
import { type Stage, setStage } from '../support/stage.ts';

let stage: Stage;
afterEach(() => stage.close());

const newKey = `new:${Buffer.alloc(32, 9).toString('base64')}`;

test('another process encrypts with a key that mine does not have yet: I am asked to try again, and nobody is blamed', async () => {
  stage = await setStage({ name: 'keys' });
  const { slack, dana, plans } = stage;
  await stage.link(dana, 'dana@example.com');
  const sealing = makeSealing(parseTokenKeys(`${newKey},${testTokenKeys}`));
  await reseal({ pool: stage.database.connect().pool, sealing, log: silentLog });
  const before = slack.ephemerals(dana).length;

  await stage.type(dana, '/subscribe project 412-873-550');

  await expect.poll(() => slack.ephemerals(dana).length).toBeGreaterThan(before);
  const said = slack
    .ephemerals(dana)
    .slice(before)
    .map(({ text }) => text)
    .join('\n');
  expect(said).toContain('Plancast is changing its encryption keys. Try again in a few minutes.');
  expect(said).not.toContain('fault');

  // Once the process has the key too, the command works.
  const rotated = await stage.addBot({ env: { TOKEN_KEYS: `${testTokenKeys},${newKey}` } });
  slack.botRequestUrl = `${rotated.publicUrl}/slack/events`;
  await stage.type(dana, '/subscribe project 412-873-550');
  await slack.waitForMessage(plans, 'to this channel');
});
