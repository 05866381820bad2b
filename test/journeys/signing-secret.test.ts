import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkDatabase } from '../../src/commands/doctor/check-database.ts';
import { checkPublicAddress } from '../../src/commands/doctor/check-public-address.ts';
import { judgeSignatures } from '../../src/commands/doctor/check-slack.ts';
import { lineOf } from '../../src/commands/doctor/finding.ts';
import { readEnv } from '../../src/env.ts';
import { minuteMs } from '../../src/lib/durations.ts';
import { environment } from '../commands/run-command.ts';
import { type Stage, setStage } from '../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'signing secret' });
});
afterAll(() => stage.close());

function settings(signingSecret = stage.signingSecret) {
  const { bot, database } = stage;
  const read = readEnv({
    ...environment,
    PUBLIC_URL: bot.publicUrl,
    DATABASE_URL: database.url,
    SLACK_SIGNING_SECRET: signingSecret,
  });
  if (!read.ok) throw new Error(read.faults.join('\n'));
  return read.env;
}

/** Returns what the doctor says about the signing secret: the bot's own, or another one. */
async function doctorSays(signingSecret?: string): Promise<string> {
  const { recorded } = await checkDatabase(settings(signingSecret), stage.now);
  return lineOf(judgeSignatures(recorded?.signatures ?? null));
}

const unknown = /^skipped {2}Slack: SLACK_SIGNING_SECRET cannot be checked from here /;
const notSlacks = `v0=${'0'.repeat(64)}`;
const wrong =
  /^FAULT {4}Slack: its requests do not match SLACK_SIGNING_SECRET .+ Remedy: copy Signing Secret /;

test('the doctor knows nothing about the signing secret before Slack has sent something, and its own test of the URL does not count', async () => {
  const address = await checkPublicAddress(settings(), stage.now);

  expect(lineOf(address)).toMatch(/^ok .+ leads to the bot\.$/);
  expect(await doctorSays()).toMatch(unknown);
});

test("replays and junk without Slack's headers prove nothing about the signing secret", async () => {
  const { slack, now } = stage;
  const anHourAgo = Math.floor(now().getTime() / 1_000) - 3_600;
  const junk = { contentType: 'application/json', body: '{}' };

  await slack.sendRaw({ ...junk, tamper: { timestamp: anHourAgo } });
  await slack.sendRaw({ ...junk, tamper: { signature: null } });

  expect(await doctorSays()).toMatch(unknown);
});

test("the signing secret of another app is a fault in the doctor from the first command on, until one of Slack's requests matches", async () => {
  const { slack, dana, plans, advance } = stage;
  const type = (tamper = {}) =>
    slack.command({ user: dana, channel: plans, command: '/plancast', text: 'help', tamper });

  await type({ signature: notSlacks });
  await expect.poll(() => doctorSays()).toMatch(wrong);
  // Once the secret is corrected, it is unknown whether the new one is right.
  expect(await doctorSays('corrected')).toMatch(unknown);

  advance(2 * minuteMs);
  await type();
  await expect.poll(() => doctorSays()).toMatch(/^ok {7}Slack: its requests match SLACK_SIGNING_SECRET /);

  // Anybody can send a request with a wrong signature; or the secret was changed at Slack.
  await type({ signature: notSlacks });
  expect(await doctorSays()).toMatch(/^ok /);
  advance(11 * minuteMs);
  await type({ signature: notSlacks });
  await expect.poll(() => doctorSays()).toMatch(/^warning {2}Slack: .+ Remedy: if commands fail in Slack, /);
});
