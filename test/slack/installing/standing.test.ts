import { expect, test } from 'vitest';
import { startPracticeSlack } from '../../../sandbox/slack/practice-slack.ts';
import { makeStanding } from '../../../src/slack/installing/standing.ts';
import { makeWebClients, webClientOptions } from '../../../src/slack/installing/web-clients.ts';

const silent = () => {};
const logger = {
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
  setLevel: silent,
  setName: silent,
  getLevel: () => 'info' as never,
};

test("Slack's list of an organization's workspaces never ends: the bot stops asking, and removes nothing because of it", async () => {
  const slack = await startPracticeSlack({ signingSecret: 'practice', now: Date.now });
  const body = { ok: true, teams: [], response_metadata: { next_cursor: 'again' } };
  const pages = slack.fault({
    method: 'auth.teams.list',
    body: { text: JSON.stringify(body) },
    times: 500,
  });
  const clients = makeWebClients({
    options: webClientOptions({ apiUrl: slack.apiUrl, logger }),
    identityOf: async () => ({
      botToken: slack.addWorkspace({ botToken: 'xoxb-standing' }).botToken,
      botUserId: null,
      botName: 'plancast',
      workspaceName: null,
      scopes: null,
    }),
  });
  const standing = makeStanding({ clients, installation: async () => ({ installedAt: null }) });

  expect(await standing.access('E0NORTHWIND', 'T0GONE')).toBe('unknown');
  expect(pages.hits()).toBeLessThan(100);
  await slack.close();
});
