import { expect, test } from 'vitest';
import { isShared } from '../../../src/slack/facts/channels.ts';
import { slackApiAt } from '../../support/slack-api.ts';

test('a direct message is not shared, and Slack is not asked about it', async () => {
  const api = slackApiAt({ apiUrl: '', identityOf: () => Promise.reject(new Error('asked')) });
  const workspace = { enterpriseId: null, teamId: 'T1' };
  expect(await isShared(api, { ...workspace, channelId: 'D1' })).toBe(false);
  await expect(isShared(api, { ...workspace, channelId: 'C1' })).rejects.toThrow('asked');
});
