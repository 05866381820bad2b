import type { Ids } from './ids.ts';
import { limits } from './limits.ts';

export interface Trigger {
  id: string;
  teamId: string;
  userId: string;
  /** Where the person was: the target of `default_to_current_conversation`. */
  channelId: string | undefined;
  issuedAt: number;
  usedAt: number | undefined;
}

export type NewTrigger = Pick<Trigger, 'teamId' | 'userId' | 'channelId'> & { id?: string | undefined };
export type TriggerRefusal = 'invalid_trigger_id' | 'expired_trigger_id' | 'trigger_exchanged';

/** Trigger ids: each opens one view within 3 seconds. */
export function makeTriggers({ now, ids }: { now: () => number; ids: Ids }) {
  const issued = new Map<string, Trigger>();
  return {
    /** Issues a trigger. A fixed `id` that is already known is left unchanged: a replay renews nothing. */
    issue({ id = ids.trigger(), ...whose }: NewTrigger): Trigger {
      const known = issued.get(id);
      if (known !== undefined) return known;
      const trigger: Trigger = { id, ...whose, issuedAt: now(), usedAt: undefined };
      issued.set(id, trigger);
      return trigger;
    },
    /** Returns the trigger if this workspace's bot may use it now, otherwise why not. Consume it with `spend`. */
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
