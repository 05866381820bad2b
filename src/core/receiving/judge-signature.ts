import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { Bot } from '../bot.ts';
import { type LoggedSubscription, subscriptionFields } from '../model/log-fields.ts';
import { observe, type SignatureSetting, type SignedRequest, verify } from './key-signatures.ts';
import type { Receiver, Trust } from './receive.ts';

/** After this many consecutive matches we are sure of the rule. */
const sure = 20;

/** Returns whether a notification comes from the service, by the rule that an admin has set. Never rejects. */
export async function judgeSignature(
  { sealing, log }: Pick<Bot, 'sealing' | 'log'>,
  setting: SignatureSetting,
  request: SignedRequest,
  receiver: Receiver,
): Promise<Trust> {
  // The service may send a notification before it has answered with the Key.
  if (receiver.recordId === null) return 'not yet';
  try {
    return verify(setting, { ...request, key: await openKey(sealing, receiver) }) ? 'yes' : 'no';
  } catch (error) {
    // The same request may contain notifications of other subscriptions, which are judged by their own Keys.
    log.warn({ err: error, ...subscriptionFields(receiver) }, 'the Key of a subscription cannot be opened');
    return 'not yet';
  }
}

/**
 * Learns from an accepted notification how the service uses the Key, which is not documented: stores which of the known rules matches.
 * Never rejects, since no notification may fail because of what could have been learned from it.
 */
export async function learnRule(
  { db, sealing, log }: Pick<Bot, 'db' | 'sealing' | 'log'>,
  request: SignedRequest,
  subscription: LoggedSubscription,
): Promise<void> {
  const { id } = subscription;
  try {
    const sealedKey = await subscriptions.sealedKeyOf(db, id);
    const rule = observe({ ...request, key: await openKey(sealing, { id, sealedKey, replaced: false }) });
    if (rule === null || (await subscriptions.noteSignature(db, id, rule)) !== sure) return;
    log.info(
      { ...subscriptionFields(subscription), rule },
      'the service signs its notifications: SERVICE_SIGNATURE can enforce this rule',
    );
  } catch (error) {
    log.warn(
      { err: error, ...subscriptionFields(subscription) },
      'could not check a signature against the known rules',
    );
  }
}

/** Returns the Key that the service sent with the remote subscription that a token was made for; null if it sent none. */
async function openKey(
  sealing: Bot['sealing'],
  { id, sealedKey, replaced }: Pick<Receiver, 'id' | 'sealedKey' | 'replaced'>,
): Promise<string | null> {
  const column = replaced ? 'previous_sealed_key' : 'sealed_key';
  return sealedKey && sealing.open({ table: 'subscriptions', row: id, column }, sealedKey);
}
