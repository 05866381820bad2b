import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import type { Channel, User } from '../../../sandbox/slack/directory.ts';
import type { Message } from '../../../sandbox/slack/messages.ts';
import { syncRound } from '../../../src/core/upstream/sync-round.ts';
import { replacedTakenMs } from '../../../src/store/tables/remotes.ts';
import { type CutRequest, startCuttingCalls } from '../../faults/support/cut-calls.ts';
import { nameOf, officeWith } from '../../support/office.ts';
import { freshDatabase, withoutWaitingForDisk } from '../../support/postgres.ts';
import { minute, type Remotes, setUpRemotes, tower } from '../../support/remotes.ts';
import { makeStageActions } from '../../support/stage-actions.ts';

/*
 * What people type, where the process dies and what the service answers, at random. Sequences run side by side, each with a person, an account
 * and a channel of its own, so that they share the minutes that pass and what the bot does in them. `RUNS` is how many, `SEED` repeats them.
 */

/** Sequences side by side. */
const together = 25;
const runs = Math.ceil(Number(process.env.RUNS ?? 100) / together);
const seed = process.env.SEED === undefined ? undefined : Number(process.env.SEED);

const accounts = Array.from({ length: together }, (_, at) => `person-${at}@example.com`);

let world: Remotes;
let cutting: ReturnType<typeof startCuttingCalls>;
beforeAll(async () => {
  cutting = startCuttingCalls();
  const database = await withoutWaitingForDisk(await freshDatabase('whatever happens'));
  world = await setUpRemotes('whatever happens', { seed: officeWith(accounts), database });
});
afterAll(async () => {
  await world.stage.close();
  cutting.stop();
});

const { press } = makeStageActions(() => world.stage);

/** What a person does, at which call of it the process dies, and what the service does with the calls that follow from it. */
type Act = {
  readonly does: 'whole' | 'itself' | 'unsubscribe' | 'unlink' | 'nothing';
  readonly answers: 'all' | 'cut' | 'refused' | 'unreadable' | 'not deleted';
  readonly dies: { readonly how: 'killed' | 'unanswered'; readonly nth: number } | null;
};
/** What everybody does at the same time, and what happens then. */
type Round = {
  readonly acts: readonly Act[];
  readonly after: 'nothing' | 'a minute passes' | 'two processes synchronize';
};

const act = fc.record<Act>({
  does: fc.constantFrom('whole', 'itself', 'unsubscribe', 'unlink', 'nothing'),
  answers: fc.constantFrom('all', 'cut', 'refused', 'unreadable', 'not deleted'),
  dies: fc.option(
    fc.record({ how: fc.constantFrom('killed', 'unanswered'), nth: fc.integer({ min: 1, max: 45 }) }),
    { freq: 1 },
  ),
});
const rounds = fc.array(
  fc.record<Round>({
    acts: fc.array(act, { minLength: together, maxLength: together }),
    after: fc.constantFrom('nothing', 'a minute passes', 'two processes synchronize'),
  }),
  { minLength: 1, maxLength: 7 },
);

/** Somebody with a channel of their own. */
type Member = { readonly user: User; readonly account: string; readonly channel: Channel };

function newMembers(): Member[] {
  const { slack, teamId } = world.stage;
  return accounts.map((account) => {
    const name = nameOf(account);
    const user = slack.addUser({ teamId, realName: name, name, email: account });
    return { user, account, channel: slack.addChannel({ members: [user] }) };
  });
}

/** Returns a function that ends it. */
function misbehave({ answers }: Act, { account }: Member): () => void {
  const { faults } = world.service;
  const creating = (fault: { kind: 'reset' | 'invalid JSON' } | { kind: 'answer'; status: number }) =>
    (['create', 'create comprehensive'] as const).map((endpoint) =>
      faults.set({ endpoint, user: account, committed: true, ...fault }),
    );
  const set = {
    all: () => [],
    cut: () => creating({ kind: 'reset' }),
    refused: () => creating({ kind: 'answer', status: 503 }),
    unreadable: () => creating({ kind: 'invalid JSON' }),
    'not deleted': () => [faults.set({ endpoint: 'delete', user: account, kind: 'answer', status: 500 })],
  }[answers]();
  return () => {
    for (const fault of set) fault.remove();
  };
}

/** Has a person do something. Returns the request whose calls may be cut; null if there is nothing to do. */
async function take({ does, dies }: Act, { user, account, channel }: Member): Promise<CutRequest | null> {
  const { stage, slack } = world;
  const isLinked = (await world.links.of(world.personOf(user))) !== null;
  const next = () => cutting.next('/slack/events', dies ?? { how: 'killed', nth: Number.POSITIVE_INFINITY });
  switch (does) {
    case 'whole':
    case 'itself': {
      if (!isLinked) await world.link(user, account);
      const request = next();
      await stage.type(user, `/subscribe ${tower}${does === 'itself' ? ' itself' : ''}`, channel);
      return request;
    }
    case 'unsubscribe': {
      const request = next();
      await stage.type(user, `/unsubscribe ${tower}`, channel);
      return request;
    }
    case 'unlink': {
      if (!isLinked) return null;
      const seen = new Set(slack.ephemerals(user).map(({ id }) => id));
      await stage.type(user, '/plancast unlink', channel);
      const isNew = ({ id, text }: Message) => !seen.has(id) && text.includes('Unlink your account');
      const question = await slack.waitForEphemeral(user, isNew, 30_000);
      const request = next();
      await press(user, question, 'Unlink');
      return request;
    }
    case 'nothing':
      return null;
  }
}

/** One of the remote subscriptions that the service ever had, with what is stored of its token. */
type Learned = {
  readonly serviceId: number;
  readonly uri: string;
  /** Undefined if the token was not stored. */
  readonly row: StoredToken | undefined;
};
type StoredToken = {
  readonly id: string;
  readonly hash: string;
  readonly subscriptionId: string;
  readonly state: string;
  readonly endedAt: Date | null;
  readonly deletedAt: Date | null;
  readonly madeAt: Date | null;
  readonly isLinkKept: boolean;
};

async function learnedTokens(): Promise<{ learned: Learned[]; rows: StoredToken[] }> {
  const rows = await world.query<StoredToken>(
    `select r.id, encode(r.token_hash, 'hex') as hash, s.id as "subscriptionId", s.state, s.ended_at as "endedAt",
       r.deleted_at as "deletedAt", r.made_at as "madeAt", l.id is not null and l.given_up_at is null as "isLinkKept"
     from plancast.remotes r join plancast.subscriptions s on s.id = r.subscription_id left join plancast.links l on l.id = r.link_id`,
  );
  const byHash = new Map(rows.map((row) => [row.hash, row]));
  const { service, other } = world;
  const learned = service.log
    .of('subscription')
    .filter(({ change }) => change === 'created')
    .map(({ subscriptionId }): Learned => {
      const uri = service.subscriptions.everMade(subscriptionId)?.uri ?? '';
      const token = uri.split('/').at(-1) ?? '';
      return {
        serviceId: subscriptionId,
        uri,
        row: byHash.get(other.bot.tokens.hash(token).toString('hex')),
      };
    });
  return { learned, rows };
}

/** Slower than any step between two readings of the clock. */
const tolerance = 20_000;

/**
 * Returns what is wrong with tokens that the service has learned: each was stored before, and is answered as long as the subscription wants
 * it, or until ten minutes after it was replaced.
 */
async function wrongTokens(): Promise<string[]> {
  const { learned } = await learnedTokens();
  const now = world.stage.now().getTime();
  const answers = await Promise.all(
    learned.map(async ({ serviceId, uri, row }) => {
      if (!row) return `the service learned a token that was not stored, of ${serviceId}`;
      const { status } = await fetch(uri);
      const until =
        row.deletedAt === null ? Number.POSITIVE_INFINITY : row.deletedAt.getTime() + replacedTakenMs;
      if (row.state !== 'ended' && Math.abs(until - now) < tolerance) return [];
      const expected = row.state === 'ended' || until <= now ? 410 : 200;
      return status === expected ? [] : `${serviceId} is answered with ${status} instead of ${expected}`;
    }),
  );
  return answers.flat();
}

/** Returns what the service was asked to delete without a reason, and whether it was asked to make two for a subscription at once. */
async function wrongRequests(): Promise<string[]> {
  const { service } = world;
  const { learned, rows } = await learnedTokens();
  const removed = service.log.of('subscription').filter(({ change }) => change === 'removed');
  const unfounded = removed.flatMap(({ subscriptionId, at }) => {
    const row = learned.find(({ serviceId }) => serviceId === subscriptionId)?.row;
    const before = (time: Date | null) => time !== null && time.getTime() <= at.getTime() + 1_000;
    const isFounded =
      row === undefined ||
      before(row.endedAt) ||
      !row.isLinkKept ||
      rows.some(
        (each) => each.subscriptionId === row.subscriptionId && each.id !== row.id && before(each.madeAt),
      );
    return isFounded ? [] : `${subscriptionId} was deleted although it was needed`;
  });
  const creates = service.log.of('request').filter(({ endpoint }) => endpoint.startsWith('create'));
  const atOnce = creates
    .filter(({ status }) => status === 429)
    .map(({ user }) => `two creates at once for ${user}`);
  return [...unfounded, ...atOnce];
}

/** Returns where the service has something else than the lists say. */
async function leftOver(members: readonly Member[]): Promise<string[]> {
  const rows = await world.query<{ channelId: string; state: string; standing: string[] | null }>(
    `select s.channel_id as "channelId", s.state, array_agg(r.service_id || case when r.comprehensive then ' whole' else ' itself' end
         || case when r.comprehensive = s.comprehensive and r.sealed_key is not null and r.lost_at is null then '' else ', not as wanted' end)
       filter (where r.id is not null) as standing
     from plancast.subscriptions s left join plancast.remotes r on r.subscription_id = s.id and r.deleted_at is null
     where s.state in ('pending', 'active') or r.id is not null group by s.id`,
  );
  const differing = members.flatMap(({ account, channel }) => {
    const listed = rows.filter(({ channelId }) => channelId === channel.id);
    const here = listed.flatMap(({ state, standing }) =>
      state === 'active' ? (standing ?? ['nothing']) : state,
    );
    const there = world.service.subscriptions
      .ofUser(account)
      .map(({ id, comprehensive }) => `${id} ${comprehensive ? 'whole' : 'itself'}`);
    return `${here}` === `${there}` ? [] : `${account} has ${there} at the service, and ${here} here`;
  });
  const kept = await world.query('select id from plancast.links where given_up_at is not null');
  return [...differing, ...kept.map(() => 'tokens of somebody who unlinked')];
}

test(`${runs * together} sequences of what people type, where the process dies and what the service answers: two minutes later all is made, ten minutes later the service has exactly what the lists say, and nothing was made or deleted that should not have been`, async () => {
  await fc.assert(
    fc.asyncProperty(rounds, async (taken) => {
      await world.reset();
      // The service asks each callback URL whether it is known before it makes a subscription, and refuses two creates at once.
      world.service.switches.set({ callbackProbe: 'GET', concurrentCreates: '429' });
      const members = newMembers();
      await Promise.all(members.map(({ user, account }) => world.link(user, account)));
      const wrong: string[] = [];
      for (const { acts, after } of taken) {
        const each = members.map((member, at) => ({ member, act: acts[at] as Act }));
        const ends = each.map(({ member, act }) => misbehave(act, member));
        const requests = await Promise.all(each.map(({ member, act }) => take(act, member)));
        await Promise.all(requests.map((request) => request?.settled()));
        if (after === 'a minute passes') await world.passMinutes(1);
        if (after === 'two processes synchronize') {
          world.advance(minute);
          await Promise.all([world.sweep(), syncRound(world.other.bot)]);
        }
        for (const end of ends) end();
        wrong.push(...(await wrongTokens()));
      }

      await world.passMinutes(2);
      const unmade = await world.query<{ channelId: string }>(
        `select channel_id as "channelId" from plancast.subscriptions s where state = 'pending' or state = 'active' and not exists (
           select from plancast.remotes r where r.subscription_id = s.id and made_at is not null and deleted_at is null)`,
      );
      wrong.push(
        ...unmade.map(({ channelId }) => `after two minutes, nothing was made for ${accountOf(channelId)}`),
      );
      await world.passMinutes(8);
      wrong.push(...(await leftOver(members)), ...(await wrongTokens()), ...(await wrongRequests()));
      if (wrong.length > 0) throw new Error(`${wrong.join('\n')}\n${described(taken, wrong)}`);

      function accountOf(channelId: string): string {
        return members.find(({ channel }) => channel.id === channelId)?.account ?? channelId;
      }
    }),
    { numRuns: runs, endOnFailure: true, ...(seed === undefined ? {} : { seed }) },
  );
}, 3_600_000);

/** Returns what those did who are named in what went wrong. */
function described(taken: readonly Round[], wrong: readonly string[]): string {
  const named = accounts.flatMap((account, at) =>
    wrong.some((each) => each.includes(account)) ? [{ account, at }] : [],
  );
  return named
    .map(({ account, at }) => {
      const acts = taken.map(({ acts, after }) => ({ ...acts[at], after }));
      return `${account}: ${JSON.stringify(acts)}`;
    })
    .join('\n');
}
