import { WebClient } from '@slack/web-api';
import Keyv from 'keyv';
import { expect, test } from 'vitest';
import { channelsSchema, makeChannelsOf } from '../../../src/slack/facts/channels-of.ts';
import { makeForgetMember } from '../../../src/slack/facts/in-channel.ts';
import { makeRecords } from '../../../src/store/tables/keyv-records.ts';
import { silentLog } from '../../support/log.ts';

const identity = { botToken: '', botUserId: null, botName: 'plancast', workspaceName: null, scopes: null };

test('a person who left a channel of an organization no longer sees it in any of its workspaces', async () => {
  const channels = new Set(['CPLANS', 'CLEFT']);
  const client = new WebClient();
  client.users.conversations = async () => ({ ok: true, channels: [...channels].map((id) => ({ id })) });
  const found = makeRecords({ keyv: new Keyv(), namespace: 'channels-of', schema: channelsSchema });
  const channelsOf = makeChannelsOf({ clients: async () => ({ client, identity }), found, log: silentLog });
  const forgetMember = makeForgetMember({ inChannel: { delete: async () => undefined }, channelsOf: found });
  const [east, west] = ['TEAST', 'TWEST'].map((teamId) => ({ enterpriseId: 'E1', teamId, userId: 'W1' }));
  if (!east || !west) throw new Error('no people');
  expect(await channelsOf(east)).toContain('CLEFT');

  channels.delete('CLEFT');
  await forgetMember({ ...west, channelId: 'CLEFT' }, west.userId);

  expect(await channelsOf(east)).not.toContain('CLEFT');
});

test('the channels of one workspace are never shown in another of the same organization', async () => {
  const client = new WebClient();
  client.users.conversations = async (asked) => ({ ok: true, channels: [{ id: `C${asked?.team_id}` }] });
  const found = makeRecords({ keyv: new Keyv(), namespace: 'channels-of', schema: channelsSchema });
  const channelsOf = makeChannelsOf({ clients: async () => ({ client, identity }), found, log: silentLog });
  for (const teamId of ['TEAST', 'TWEST', 'TEAST']) {
    const seen = await channelsOf({ enterpriseId: 'E1', teamId, userId: 'W1' });
    expect(seen).toEqual(new Set([`C${teamId}`]));
  }
});
