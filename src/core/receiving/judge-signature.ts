import type { Log } from '../../lib/log.ts';
import { type LoggedSubscription, subscriptionFields } from '../model/log-fields.ts';
import type {
  ObserveSignature,
  ReceivedHeaders,
  SignatureSetting,
  VerifySignature,
} from './key-signatures.ts';
import type { Receiver, Trust } from './receive.ts';

/** The parts of a request that its signature depends on. */
type SignedRequest = { readonly headers: ReceivedHeaders; readonly rawBody: Buffer };

type JudgeSignatureDeps = {
  readonly setting: SignatureSetting;
  readonly verify: VerifySignature;
  readonly observe: ObserveSignature;
  /** Returns the Key that the service sent with the remote subscription that a token was made for; null if it sent none. */
  readonly openKey: (subscription: Pick<Receiver, 'id' | 'sealedKey' | 'replaced'>) => Promise<string | null>;
  /** Returns the same Key, still sealed. */
  readonly sealedKeyOf: (subscriptionId: string) => Promise<string | null>;
  /** Stores which rule matched. Returns how often it has matched in a row. */
  readonly noteRule: (subscriptionId: string, rule: string) => Promise<number>;
  /** Returns whether a check is allowed now: each costs a query, and a few notifications show the rule for all. */
  readonly mayLook: () => boolean;
  readonly log: Pick<Log, 'info' | 'warn'>;
};

export type JudgeSignature = {
  /** Returns whether a notification comes from the service; null if none is refused. */
  readonly trusted: ((request: SignedRequest, subscription: Receiver) => Promise<Trust>) | null;
  /** Learns the signature rule from an accepted notification; null if there is nothing to learn. Never rejects. */
  readonly look: ((request: SignedRequest, subscription: LoggedSubscription) => Promise<void>) | null;
};

/** After this many consecutive matches we are sure of the rule. */
const sure = 20;

/**
 * Judges whether a notification comes from the service. How the service uses the Key is not documented: `observe` accepts everything,
 * checks which of the usual rules matches and stores only the rule's name; `enforce` requires the rule that an admin has set.
 */
export function makeJudgeSignature(deps: JudgeSignatureDeps): JudgeSignature {
  const { setting, log } = deps;

  switch (setting.mode) {
    case 'off':
      return { trusted: null, look: null };
    case 'observe':
      return { trusted: null, look };
    case 'enforce':
      return {
        look: null,
        trusted: async (request, subscription) => {
          // The service may send a notification before it has answered with the Key.
          if (subscription.recordId === null) return 'not yet';
          try {
            const key = await deps.openKey(subscription);
            return deps.verify(setting, { ...request, key }) ? 'yes' : 'no';
          } catch (error) {
            // The same request may contain notifications of other subscriptions, which are judged by their own Keys.
            log.warn(
              { err: error, ...subscriptionFields(subscription) },
              'the Key of a subscription cannot be opened',
            );
            return 'not yet';
          }
        },
      };
  }

  async function look(request: SignedRequest, subscription: LoggedSubscription): Promise<void> {
    if (!deps.mayLook()) return;
    const fields = subscriptionFields(subscription);
    // Never fail a notification because of what we could have learned from it.
    await learn(request, subscription).catch((error: unknown) =>
      log.warn({ err: error, ...fields }, 'could not check a signature against the known rules'),
    );
  }

  async function learn(request: SignedRequest, subscription: LoggedSubscription): Promise<void> {
    const { id } = subscription;
    const sealedKey = await deps.sealedKeyOf(id);
    if (sealedKey === null) return;
    const rule = deps.observe({ ...request, key: await deps.openKey({ id, sealedKey, replaced: false }) });
    if (rule === null) return;
    const fits = await deps.noteRule(id, rule);
    if (fits !== sure) return;
    log.info(
      { ...subscriptionFields(subscription), rule },
      'the service signs its notifications: SERVICE_SIGNATURE can enforce this rule',
    );
  }
}
