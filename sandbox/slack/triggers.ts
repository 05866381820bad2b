import type { Ids } from './ids.ts';
import { limits } from './limits.ts';

export interface Trigger {
  id: string;
  teamId: string;
  userId: string;
  /** Where the person was: what `default_to_current_conversation` means. */
  channelId: string | undefined;
  issuedAt: number;
  usedAt: number | undefined;
}

export type NewTrigger = Pick<Trigger, 'teamId' | 'userId' | 'channelId'> & { id?: string | undefined };
export type TriggerRefusal = 'invalid_trigger_id' | 'expired_trigger_id' | 'trigger_exchanged';

/** Trigger ids: each opens one view, within 3 seconds. */
export function makeTriggers({ now, ids }: { now: () => number; ids: Ids }) {
  const issued = new Map<string, Trigger>();
  return {
    /** Hands one out. A fixed `id` that is known already stays as it is: a replay makes nothing fresh. */
    issue({ id = ids.trigger(), ...whose }: NewTrigger): Trigger {
      const known = issued.get(id);
      if (known !== undefined) return known;
      const trigger: Trigger = { id, ...whose, issuedAt: now(), usedAt: undefined };
      issued.set(id, trigger);
      return trigger;
    },
    /** The trigger if it may be used now by this workspace's bot, or why not. Use it with `spend`. */
    check(id: string, teamIds: string[]): Trigger | TriggerRefusal {
      const trigger = issued.get(id);
      if (trigger === undefined || !teamIds.includes(trigger.teamId)) return 'invalid_trigger_id';
      if (trigger.usedAt !== undefined) return 'trigger_exchanged';
      if (now() - trigger.issuedAt > limits.triggerLifeMs) return 'expired_trigger_id';
      return trigger;
    },
    spend(trigger: Trigger): void {
      trigger.usedAt = now();
    },
  };
}
