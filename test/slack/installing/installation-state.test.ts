import { expect, test } from 'vitest';
import { startPracticeSlack } from '../../../sandbox/slack/practice-slack.ts';
import { access } from '../../../src/slack/installing/installation-state.ts';
import { anyIdentity, slackApiAt } from '../../support/slack-api.ts';

test("Slack's list of an organization's workspaces never ends: the bot stops asking, and removes nothing because of it", async () => {
  const slack = await startPracticeSlack({ signingSecret: 'practice', now: Date.now });
  const body = { ok: true, teams: [], response_metadata: { next_cursor: 'again' } };
  const pages = slack.fault({
    method: 'auth.teams.list',
    body: { text: JSON.stringify(body) },
    times: 500,
  });
  const { botToken } = slack.addWorkspace({ botToken: 'xoxb-standing' });
  const api = slackApiAt({ apiUrl: slack.apiUrl, identityOf: async () => ({ ...anyIdentity, botToken }) });

  expect(await access(api, 'E0NORTHWIND', 'T0GONE')).toBe('unknown');
  expect(pages.hits()).toBeLessThan(100);
  await slack.close();
});
