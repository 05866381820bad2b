import { expect, test } from 'vitest';
import { makeIsShared } from '../../../src/slack/facts/is-shared.ts';

test('a direct message is not shared, and Slack is not asked about it', async () => {
  const isShared = makeIsShared({ clients: () => Promise.reject(new Error('asked')) });
  const workspace = { enterpriseId: null, teamId: 'T1' };
  expect(await isShared({ ...workspace, channelId: 'D1' })).toBe(false);
  await expect(isShared({ ...workspace, channelId: 'C1' })).rejects.toThrow('asked');
});
