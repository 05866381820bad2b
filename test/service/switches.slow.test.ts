import { expect, test } from 'vitest';
import { type SwitchValues, switches } from '../../sandbox/service/switches.ts';
import { dana, grantedBy, startPractice } from './practice.ts';

/** Every non-default side of each switch, and the defaults once. */
const sides = switches
  .filter(({ sameOutcome }) => sameOutcome)
  .flatMap(({ u, name, sides: all }) => all.map((side) => ({ u, name, side })))
  .filter(
    ({ name, side }, nth) => nth === 0 || switches.every((row) => row.name !== name || row.default !== side),
  );

test.each(sides)('$u: the walk has the same result with $name = $side', async ({ name, side }) => {
  const practice = await startPractice({ requestsPerMinute: 0, [name]: side } as Partial<SwitchValues>);
  const { service, client, oauth, targets, callbackUrl } = practice;
  const linked = await oauth.exchange(grantedBy(await practice.authorize()));
  const { accessToken } = await oauth.refresh(linked.refreshToken ?? '');

  const kinds = Object.values(targets);
  const made: string[] = [];
  for (const target of kinds) {
    const comprehensive = target.kind === 'project' || target.kind === 'session';
    made.push((await client.createSubscription(accessToken, { target, comprehensive, callbackUrl })).id);
  }
  service.act(dana, {
    action: 'rename-item',
    project: 'Harbour Tower',
    item: targets.file.itemId,
    name: 'B.pdf',
  });
  const notifications = await practice.notified();
  const { subscriptions, complete } = await client.listSubscriptions(accessToken);
  const found = await Promise.all(made.map((id) => client.getSubscription(accessToken, id)));
  const outcomes: string[] = [];
  for (const id of made) outcomes.push(await client.deleteSubscription(accessToken, id));

  expect(new Set(notifications.map(({ serviceSubscriptionId }) => serviceSubscriptionId))).toEqual(
    new Set([made[0], made[2]]),
  );
  expect(notifications).toEqual(
    notifications.map(() =>
      expect.objectContaining({ itemId: targets.file.itemId, name: 'B.pdf', eventType: 'Update' }),
    ),
  );
  expect(found.map(({ id, callbackUrl: uri }) => ({ id, uri }))).toEqual(
    made.map((id) => ({ id, uri: callbackUrl })),
  );
  const missing = made.filter((id) => !subscriptions.some((record) => record.id === id));
  expect(missing.length === 0 || !complete).toBe(true);
  expect(outcomes).toEqual(made.map(() => 'deleted'));
});
