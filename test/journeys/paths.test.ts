import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

const project = '412-873-550';
let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'paths', skipsPauses: true });
  await stage.link(stage.dana, 'dana@example.com');
});
afterAll(() => stage.close());

const { newChannel, following } = makeStageActions(() => stage);

const act = (action: Parameters<Stage['service']['act']>[1]) => stage.service.act('dana@example.com', action);
const addFile = (parent: string, name: string) => act({ action: 'create-file', project, parent, name });

test.each([
  'in "Plans/Level 1"',
  'in Plans',
  'in Plans/',
  'in "/Plans/Level 1/"',
  'in "Level 1"',
  'in "Plans › Level 1"',
  'in "Plans > Level 1"',
  'in "plans/level 1/**"',
  'in "*.pdf"',
  'in "!Details"',
])('a folder typed as people type it: %s posts what is in Plans/Level 1', async (option) => {
  const channel = newChannel('a folder', [stage.dana]);
  await following(stage.dana, channel, `/subscribe project ${project} ${option}`);
  addFile('Details', 'Elsewhere.dwg');
  addFile('Plans/Level 1', 'A-103.pdf');
  await stage.slack.waitForMessage(channel, 'A-103.pdf');
  const texts = stage.slack.messages(channel).map((message) => stage.slack.textOf(message));
  expect(texts.join('\n')).not.toContain('Elsewhere');
});
