import { setTimeout as sleep } from 'node:timers/promises';
import { makeUpstreamRoom } from '../core/upstream/upstream-room.ts';
import { hourMs } from '../lib/durations.ts';
import { makeRecords } from '../store/tables/keyv-records.ts';
import type { Base, Rooms } from './base.ts';

type UpstreamUses = Pick<Rooms, 'linking' | 'names' | 'tokens'>;

/** Composes the service's side of subscriptions. */
export function composeUpstream(base: Base, { linking, names, tokens }: UpstreamUses) {
  const { env, store, transactions, slack, service, sealing, copy, clock, log } = base;
  return makeUpstreamRoom({
    ...store,
    ...store.tables,
    ...transactions,
    ...slack,
    ...service,
    accessTokenFor: linking.accessTokenFor,
    namesIn: names.namesIn,
    forgetInstallation: slack.installations.forgetOld,
    refusedSince: makeRecords<number>({
      keyv: store.keyv,
      namespace: 'refused-tokens',
      ttlMs: 3 * hourMs,
    }),
    tokens,
    sealing,
    copy,
    publicUrl: env.http.publicUrl,
    clock,
    sleep,
    log,
  });
}
