import { byTokens, type FoundByToken } from '../../store/tables/remotes.ts';
import { noteSignature } from '../../store/tables/subscriptions.ts';
import type { Bot } from '../bot.ts';
import { subscriptionFields } from '../model/log-fields.ts';
import { observe, type SignatureSetting, type SignedRequest, verify } from './key-signatures.ts';

/** After this many consecutive matches we are sure of the rule. */
const sure = 20;

/**
 * Returns why a notification is not taken by the rule that an admin has set; null if it comes from the service. It is `busy` while the Key to
 * check with has not arrived with the answer to the create request, or cannot be opened here. Never rejects.
 */
export async function judgeSignature(
  { sealing, log }: Pick<Bot, 'sealing' | 'log'>,
  setting: SignatureSetting,
  request: SignedRequest,
  found: FoundByToken,
): Promise<'wrong signature' | 'busy' | null> {
  // The service may send a notification before it has answered with the Key, or its answer was lost.
  const isUnanswered = found.recordId === null || (found.sealedKey === null && found.lostAt !== null);
  if (isUnanswered) return 'busy';
  try {
    return verify(setting, { ...request, key: await openKey(sealing, found) }) ? null : 'wrong signature';
  } catch (error) {
    // The same request may contain notifications of other subscriptions, which are judged by their own Keys.
    log.warn({ err: error, ...subscriptionFields(found) }, 'the Key of a subscription cannot be opened');
    return 'busy';
  }
}

/** Stores which known rule of using the Key an accepted notification matches. Never rejects: no notification may fail because of that. */
export async function learnRule(
  { db, clock, sealing, log }: Pick<Bot, 'db' | 'clock' | 'sealing' | 'log'>,
  request: SignedRequest,
  tokenHash: Buffer,
): Promise<void> {
  try {
    const found = (await byTokens(db, [tokenHash], clock.now())).get(tokenHash.toString('hex'));
    const rule = found ? observe({ ...request, key: await openKey(sealing, found) }) : null;
    if (!found || rule === null || (await noteSignature(db, found.id, rule)) !== sure) return;
    log.info(
      { ...subscriptionFields(found), rule },
      'the service signs its notifications: SERVICE_SIGNATURE can enforce this rule',
    );
  } catch (error) {
    log.warn({ err: error }, 'could not check a signature against the known rules');
  }
}

/** Returns the Key that the service sent with the remote subscription that a token was made for; null if it sent none. */
async function openKey(
  sealing: Bot['sealing'],
  { id, remoteId, sealedKey, keyColumn }: FoundByToken,
): Promise<string | null> {
  if (sealedKey === null) return null;
  const place =
    keyColumn === null
      ? { table: 'remotes', row: remoteId, column: 'sealed_key' }
      : { table: 'subscriptions', row: id, column: keyColumn };
  return sealing.open(place, sealedKey);
}
