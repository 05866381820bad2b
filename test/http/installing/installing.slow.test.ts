import { afterAll, beforeAll, expect, test } from 'vitest';
import { rowsOf, visitInstallPage } from '../../support/installing-browser.ts';
import { type Stage, setStage } from '../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({
    name: 'installing slow',
    env: {
      SLACK_BOT_TOKEN: '',
      SLACK_CLIENT_ID: 'practice-client-id',
      SLACK_CLIENT_SECRET: 'practice-client-secret',
    },
  });
});
afterAll(() => stage.close());

test('10,000 GETs of the install page write no row', async () => {
  const before = await rowsOf(stage);
  expect(await visitInstallPage(stage.bot.publicUrl, 10_000)).toEqual({ 302: 10_000 });
  expect(await rowsOf(stage)).toEqual(before);
});
