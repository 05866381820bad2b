import type {
  ObserveSignature,
  ReceivedHeaders,
  SignatureSetting,
  VerifySignature,
} from '../service/key-signatures.ts';
import type { Receiver, Trust } from './receive.ts';

/** A request of the service's, as far as its signature goes. */
export type SignedRequest = { readonly headers: ReceivedHeaders; readonly rawBody: Buffer };

export type JudgeSignatureDeps = {
  readonly setting: SignatureSetting;
  readonly verify: VerifySignature;
  readonly observe: ObserveSignature;
  /** The Key that the service gave with a subscription; null where it gave none. */
  readonly openKey: (subscription: Receiver) => Promise<string | null>;
  /** Keeps which rule fitted; says how often it has fitted in a row by now. */
  readonly noteRule: (subscriptionId: string, rule: string) => Promise<number>;
  readonly log: {
    readonly info: (fields: Record<string, unknown>, message: string) => void;
    readonly warn: (fields: Record<string, unknown>, message: string) => void;
  };
};

export type JudgeSignature = (request: SignedRequest, subscription: Receiver) => Promise<Trust>;

/** So many fits in a row leave no doubt about the rule. */
const sure = 20;
/** Subscriptions whose rule is known well enough to stop looking. */
const keptSure = 10_000;

/**
 * Judges whether a notification comes from the service. How it uses the Key is not documented: `observe` lets everything in, looks
 * which of the usual rules fits and keeps no more than its name; `enforce` asks for the rule that an admin has set.
 */
export function makeJudgeSignature(deps: JudgeSignatureDeps): JudgeSignature {
  const { setting, log } = deps;
  const surely = new Set<string>();

  async function observed(request: SignedRequest, subscription: Receiver): Promise<void> {
    if (subscription.sealedKey === null || surely.has(subscription.id)) return;
    const key = await deps.openKey(subscription);
    const rule = deps.observe({ ...request, key });
    if (rule === null) return;
    const fits = await deps.noteRule(subscription.id, rule);
    if (fits < sure) return;
    if (surely.size >= keptSure) surely.clear();
    surely.add(subscription.id);
    log.info(
      { subscription: subscription.id, rule },
      'the service signs its notifications: SERVICE_SIGNATURE can enforce this rule',
    );
  }

  return async (request, subscription) => {
    switch (setting.mode) {
      case 'off':
        return 'yes';
      case 'observe':
        // What is learnt here is worth less than the notification.
        await observed(request, subscription).catch((error: unknown) =>
          log.warn({ err: error, subscription: subscription.id }, 'a signature could not be looked at'),
        );
        return 'yes';
      case 'enforce': {
        // The service may tell of a change before it has answered with the Key.
        if (subscription.serviceSubscriptionId === null) return 'not yet';
        const key = await deps.openKey(subscription);
        return deps.verify(setting, { ...request, key }) ? 'yes' : 'no';
      }
    }
  };
}
