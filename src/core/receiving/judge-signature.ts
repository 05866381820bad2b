import type { Log } from '../../lib/log.ts';
import type {
  ObserveSignature,
  ReceivedHeaders,
  SignatureSetting,
  VerifySignature,
} from '../../service/key-signatures.ts';
import type { Receiver, Trust } from './receive.ts';

/** A request of the service's, as far as its signature goes. */
type SignedRequest = { readonly headers: ReceivedHeaders; readonly rawBody: Buffer };

export type JudgeSignatureDeps = {
  readonly setting: SignatureSetting;
  readonly verify: VerifySignature;
  readonly observe: ObserveSignature;
  /** The Key that the service gave with the remote subscription that a token was made for; null where it gave none. */
  readonly openKey: (subscription: Pick<Receiver, 'id' | 'sealedKey' | 'replaced'>) => Promise<string | null>;
  /** The same, still sealed. */
  readonly sealedKeyOf: (subscriptionId: string) => Promise<string | null>;
  /** Keeps which rule fitted; says how often it has fitted in a row by now. */
  readonly noteRule: (subscriptionId: string, rule: string) => Promise<number>;
  /** Whether there is time for a look: each costs a query, and what holds for a few notifications holds for all. */
  readonly mayLook: () => boolean;
  readonly log: Pick<Log, 'info' | 'warn'>;
};

export type JudgeSignature = {
  /** Whether a notification comes from the service; null where nobody is refused. */
  readonly trusted: ((request: SignedRequest, subscription: Receiver) => Promise<Trust>) | null;
  /** Learns from a notification that was believed; null where nothing is to be learnt. Never rejects. */
  readonly look: ((request: SignedRequest, subscriptionId: string) => Promise<void>) | null;
};

/** So many fits in a row leave no doubt about the rule. */
const sure = 20;
/**
 * Judges whether a notification comes from the service. How it uses the Key is not documented: `observe` lets everything in, looks
 * which of the usual rules fits and keeps no more than its name; `enforce` asks for the rule that an admin has set.
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
            // It may come with notifications of other subscriptions, which are judged by Keys of their own.
            log.warn(
              { err: error, subscription: subscription.id },
              'the Key of a subscription cannot be opened',
            );
            return 'not yet';
          }
        },
      };
  }

  async function look(request: SignedRequest, id: string): Promise<void> {
    if (!deps.mayLook()) return;
    // What is learnt here is worth less than the notification.
    await learn(request, id).catch((error: unknown) =>
      log.warn({ err: error, subscription: id }, 'a signature could not be looked at'),
    );
  }

  async function learn(request: SignedRequest, id: string): Promise<void> {
    const sealedKey = await deps.sealedKeyOf(id);
    if (sealedKey === null) return;
    const rule = deps.observe({ ...request, key: await deps.openKey({ id, sealedKey, replaced: false }) });
    if (rule === null) return;
    const fits = await deps.noteRule(id, rule);
    if (fits !== sure) return;
    log.info(
      { subscription: id, rule },
      'the service signs its notifications: SERVICE_SIGNATURE can enforce this rule',
    );
  }
}
