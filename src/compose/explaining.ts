import { makeExplainingRoom } from '../core/explaining/explaining-room.ts';
import type { Base, Rooms } from './base.ts';

type ExplainingUses = Pick<Rooms, 'access' | 'upstream' | 'channels' | 'names'>;

/** Composes the answers to why something was or was not posted, and whether all is well. */
export function composeExplaining(base: Base, { access, upstream, channels, names }: ExplainingUses) {
  const { env, store, transactions, slack, service, clock } = base;
  return makeExplainingRoom({
    ...store,
    ...store.tables,
    ...transactions,
    ...slack,
    ...service,
    ...names,
    audited: store.audit,
    audit: access.audit,
    callService: upstream.callService,
    checkLink: upstream.reconcile.reconcileLink,
    resumeChannel: channels.resumeChannel,
    retentionDays: env.retentionDays,
    publicUrl: env.http.publicUrl,
    clock,
  });
}
