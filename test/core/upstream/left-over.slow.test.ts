import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Message } from '../../../sandbox/slack/messages.ts';
import { accounts, minute, type Remotes, setUpRemotes, tower } from '../../support/remotes.ts';
import { makeStageActions } from '../../support/stage-actions.ts';

const runs = Number(process.env.RUNS ?? 40);
const timeout = Math.max(300_000, 2_000 * runs);
let world: Remotes;
beforeAll(async () => {
  world = await setUpRemotes('whatever happens');
});
afterAll(() => world.stage.close());

const { press } = makeStageActions(() => world.stage);

/** What a person does, and what the service does with the calls that follow from it. */
type Step = {
  readonly does: 'whole' | 'itself' | 'unsubscribe' | 'unlink' | 'wait' | 'two processes';
  readonly answers: 'all' | 'cut' | 'refused' | 'unreadable' | 'not deleted';
};

const steps = fc.array(
  fc.record<Step>({
    does: fc.constantFrom('whole', 'itself', 'unsubscribe', 'unlink', 'wait', 'two processes'),
    answers: fc.constantFrom('all', 'cut', 'refused', 'unreadable', 'not deleted'),
  }),
  { minLength: 1, maxLength: 7 },
);

function misbehave(answers: Step['answers']): () => void {
  const { faults } = world.service;
  const each = ['create', 'create comprehensive'] as const;
  const set = {
    all: () => [],
    cut: () => each.map((endpoint) => faults.set({ endpoint, kind: 'reset', committed: true })),
    refused: () =>
      each.map((endpoint) => faults.set({ endpoint, kind: 'answer', status: 503, committed: true })),
    unreadable: () => each.map((endpoint) => faults.set({ endpoint, kind: 'invalid JSON', committed: true })),
    'not deleted': () => [faults.set({ endpoint: 'delete', kind: 'answer', status: 500 })],
  }[answers]();
  return () => {
    for (const fault of set) fault.remove();
  };
}

async function take({ does, answers }: Step): Promise<void> {
  const { stage, dana, plans, slack } = world;
  const behave = misbehave(answers);
  const isLinked = (await world.links.of(world.personOf(dana))) !== null;
  switch (does) {
    case 'whole':
    case 'itself':
      if (!isLinked) await world.link(dana, accounts.dana);
      await stage.type(dana, `/subscribe ${tower}${does === 'itself' ? ' itself' : ''}`, plans);
      break;
    case 'unsubscribe':
      await stage.type(dana, `/unsubscribe ${tower}`, plans);
      break;
    case 'unlink': {
      if (!isLinked) break;
      const seen = new Set(slack.ephemerals(dana).map(({ id }) => id));
      await stage.type(dana, '/plancast unlink', plans);
      const isNew = ({ id, text }: Message) => !seen.has(id) && text.includes('Unlink your account');
      await press(dana, await slack.waitForEphemeral(dana, isNew), 'Unlink');
      await vi.waitUntil(async () => (await world.links.of(world.personOf(dana))) === null, {
        timeout: 10_000,
      });
      break;
    }
    case 'wait':
      world.advance(minute);
      await world.sweep();
      break;
    case 'two processes':
      await Promise.all([world.sweep(), world.sweep()]);
      break;
  }
  behave();
}

test('whatever people type and the service answers, ten minutes later the service has exactly what the lists say', {
  timeout,
}, async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      await world.reset();
      await world.link(world.dana, accounts.dana);
      for (const step of taken) await take(step);

      for (let minutes = 0; minutes < 12; minutes++) {
        world.advance(minute);
        await world.sweep();
        await world.stage.bot.runChore('check-links');
      }

      const live = await world.query<{ id: string }>(
        `select r.service_id as id from plancast.subscriptions s
         join plancast.remotes r on r.subscription_id = s.id and r.made_at is not null and r.deleted_at is null
         where s.state = 'active'`,
      );
      expect(world.idsOf(accounts.dana)).toEqual(live.map(({ id }) => id));
      const wanted = await world.query(
        `select from plancast.subscriptions where state in ('pending', 'active')`,
      );
      expect(live).toHaveLength(wanted.length);
      expect(await world.query('select from plancast.links where given_up_at is not null')).toEqual([]);
      expect(await world.query('select from plancast.remotes where deleted_at is null')).toHaveLength(
        live.length,
      );
    }),
    { numRuns: runs },
  );
});
