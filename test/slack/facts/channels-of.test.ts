import { WebClient } from '@slack/web-api';
import { expect, test } from 'vitest';
import { channelsOf, forgetMember } from '../../../src/slack/facts/channels.ts';
import type { SlackApi } from '../../../src/slack/slack-port.ts';
import { anyIdentity, slackApiAt } from '../../support/slack-api.ts';

/** Slack answers with what the client says. */
function apiOf(client: WebClient): SlackApi {
  return { ...slackApiAt({ apiUrl: '' }), clientOf: async () => ({ client, identity: anyIdentity }) };
}

test('a person who left a channel of an organization no longer sees it in any of its workspaces', async () => {
  const channels = new Set(['CPLANS', 'CLEFT']);
  const client = new WebClient();
  client.users.conversations = async () => ({ ok: true, channels: [...channels].map((id) => ({ id })) });
  const api = apiOf(client);
  const [east, west] = ['TEAST', 'TWEST'].map((teamId) => ({ enterpriseId: 'E1', teamId, userId: 'W1' }));
  if (!east || !west) throw new Error('no people');
  expect(await channelsOf(api, east)).toContain('CLEFT');

  channels.delete('CLEFT');
  await forgetMember(api, { ...west, channelId: 'CLEFT' }, west.userId);

  expect(await channelsOf(api, east)).not.toContain('CLEFT');
});

test('the channels of one workspace are never shown in another of the same organization', async () => {
  const client = new WebClient();
  client.users.conversations = async (asked) => ({ ok: true, channels: [{ id: `C${asked?.team_id}` }] });
  const api = apiOf(client);
  for (const teamId of ['TEAST', 'TWEST', 'TEAST']) {
    const seen = await channelsOf(api, { enterpriseId: 'E1', teamId, userId: 'W1' });
    expect(seen).toEqual(new Set([`C${teamId}`]));
  }
});
