import { expect, test } from 'vitest';
import { linkedTarget } from '../../../src/core/model/service-urls.ts';

const templates = {
  project: 'https://plans.example/app/projects/{project}/',
  item: 'https://plans.example/app/projects/{project}/items/{item}',
  session: 'https://review.example:8443/s-{session}',
  document: undefined,
};
const tower = { kind: 'project', projectId: '412-873-550' };

test.each([
  'https://plans.example/app/projects/412-873-550',
  'https://plans.example/app/projects/412873550/',
  'https://PLANS.example:443/app/projects/412%20873%20550?tab=files#top',
  'https://plans.example/app/projects/41-28-73-55-0',
  // A browser goes one step back.
  'https://plans.example/app/projects/412-873-550/items/%2E%2E',
])('%s leads to the project', (link) => {
  expect(linkedTarget(link, templates)).toEqual(tower);
});

test.each([
  [
    'https://plans.example/app/projects/412-873-550/items/a%2Bb',
    { kind: 'item', projectId: '412-873-550', itemId: 'a+b' },
  ],
  ['https://review.example:8443/s-731450286', { kind: 'session', sessionId: '731-450-286' }],
])('%s leads to what it names', (link, target) => {
  expect(linkedTarget(link, templates)).toEqual(target);
});

test.each([
  ['another scheme', 'http://plans.example/app/projects/412-873-550'],
  ['another host', 'https://plans.example.evil/app/projects/412-873-550'],
  ['another port', 'https://review.example/s-731450286'],
  ['another path', 'https://plans.example/help/projects/412-873-550'],
  ['more path', 'https://plans.example/app/projects/412-873-550/settings'],
  ['another letter case in the path', 'https://plans.example/APP/projects/412-873-550'],
  ['no nine digits', 'https://plans.example/app/projects/412-873-55'],
  ['ten digits', 'https://plans.example/app/projects/412-873-5501'],
  ['an item with a slash', 'https://plans.example/app/projects/412-873-550/items/a%2Fb'],
  ['broken percent signs', 'https://plans.example/app/projects/412-873-550/items/%E0%A4%A'],
  ['a kind without an address', 'https://plans.example/documents/1'],
  ['no address at all', 'plans.example/app/projects/412-873-550'],
])('a link with %s leads to nothing', (_what, link) => {
  expect(linkedTarget(link, templates)).toBeNull();
});

test('an address is text, not a pattern', () => {
  const odd = { ...templates, project: 'https://plans.example/a.b(c)+/{project}' };
  expect(linkedTarget('https://plans.example/a.b(c)+/412873550', odd)).toEqual(tower);
  expect(linkedTarget('https://plans.example/aXb(c)+/412873550', odd)).toBeNull();
});
