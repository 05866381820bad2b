import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stage, setStage } from '../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'first light' });
});
afterAll(() => stage.close());

test('Dana types /subscribe, links, and the channel gets what happens to the project', async () => {
  const { slack, service, dana, plans } = stage;
  await stage.type(dana, '/subscribe project 412-873-550');
  const offer = await slack.waitForEphemeral(dana, 'Link');
  const link = slack.button(offer, 'Link');
  const page = await stage.linkInBrowser(String(link.element.url), 'dana@example.com');
  expect(page).toContain('dana@example.com');
  await slack.waitForMessage(plans, 'Dana Reyes added project 412-873-550 to this channel');

  service.act('dana@example.com', {
    action: 'create-file',
    project: 'Harbour Tower',
    parent: 'Plans',
    name: 'Facade.pdf',
  });
  const added = await slack.waitForMessage(plans, 'Facade.pdf');
  expect(added.text).toContain('added');
  service.act('sam@example.com', {
    action: 'rename-item',
    project: 'Harbour Tower',
    item: 'Plans/Facade.pdf',
    name: 'Facade v2.pdf',
  });
  const renamed = await slack.waitForMessage(plans, 'Facade v2.pdf');
  expect(renamed.text).toMatch(/Sam Okafor.*renamed.*Facade\.pdf.*Facade v2\.pdf/);
});
