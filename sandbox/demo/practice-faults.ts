import * as z from 'zod';
import type { PracticeService } from '../service/practice-service.ts';
import { fieldsOf } from '../slack/json.ts';
import type { PracticeSlack } from '../slack/practice-slack.ts';

/** How the practice Slack or the practice service behaves. */
export const troubles = {
  slack: { works: 'Works', limited: 'Answers 429', slow: 'Is slow', down: 'Is down' },
  service: { works: 'Works', slow: 'Is slow', down: 'Is down' },
} as const;

/** The fault switches of the page. */
export const faultSettings = z.object({
  slack: z.enum(['works', 'limited', 'slow', 'down']),
  service: z.enum(['works', 'slow', 'down']),
  /** Each notification is sent twice. */
  duplicates: z.boolean(),
  /** Notifications of one action are sent in random order. */
  disorder: z.boolean(),
  /** The workspace answers `invalid_blocks` to a message with a `data_table`. */
  withoutTables: z.boolean(),
});
export type FaultSettings = z.infer<typeof faultSettings>;

const slowMs = 2_000;
/** One call in `everyNth` is refused, with this many seconds in `Retry-After`. */
const limited = { everyNth: 2, retryAfter: 2 };
const postMethods = ['chat.postMessage', 'chat.update'];

type Deps = { readonly slack: PracticeSlack; readonly service: PracticeService };

/** Creates the page's fault switches, initially all off. */
export function makePracticeFaults({ slack, service }: Deps) {
  let settings: FaultSettings = {
    slack: 'works',
    service: 'works',
    duplicates: false,
    disorder: false,
    withoutTables: false,
  };

  function applySlack(trouble: FaultSettings['slack']): void {
    slack.clearFaults();
    const always = { times: Number.POSITIVE_INFINITY };
    if (trouble === 'slow') slack.fault({ ...always, delayMs: slowMs });
    if (trouble === 'down') slack.fault({ ...always, status: 503 });
    if (trouble !== 'limited') return;
    for (const method of postMethods) slack.fault({ ...always, method, status: 429, ...limited });
  }

  function applyService(trouble: FaultSettings['service']): void {
    service.faults.clear();
    if (trouble === 'slow') service.faults.set({ endpoint: 'every', kind: 'delay', ms: slowMs });
    if (trouble === 'down') service.faults.set({ endpoint: 'every', kind: 'answer', status: 503 });
  }

  return {
    settings: (): FaultSettings => settings,
    /** Sets some of the switches; throws `ZodError` if the input is invalid. */
    set(wanted: unknown): void {
      const next = faultSettings.parse({ ...settings, ...fieldsOf(wanted) });
      if (next.slack !== settings.slack) applySlack(next.slack);
      if (next.service !== settings.service) applyService(next.service);
      service.switches.set({
        duplicates: next.duplicates ? 1 : 0,
        order: next.disorder ? 'shuffled' : 'kept',
      });
      for (const workspace of slack.workspaces.values()) {
        workspace.refusedBlocks = next.withoutTables ? ['data_table'] : [];
      }
      settings = next;
    },
  };
}

export type PracticeFaults = ReturnType<typeof makePracticeFaults>;
