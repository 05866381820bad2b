import { createHmac } from 'node:crypto';
import type { SwitchBoard } from './switches.ts';

/**
 * Returns the header that signs a notification, as switched; none if notifications are not signed.
 * @param key the subscription's Key, hexadecimal
 * @param body the raw body that is sent
 */
export function signatureHeader(key: string, body: string, switches: SwitchBoard): Record<string, string> {
  const value = signatureOf(key, body, switches);
  return value === undefined ? {} : { [switches.get('signatureHeader')]: value };
}

function signatureOf(key: string, body: string, switches: SwitchBoard): string | undefined {
  const scheme = switches.get('signatureScheme');
  if (scheme === 'none') return;
  if (scheme === 'key') return key;
  const [hash, encoding, text] = scheme.split('-');
  const bytes = text === 'text' ? Buffer.from(key, 'utf8') : Buffer.from(key, 'hex');
  const mac = createHmac('sha256', bytes)
    .update(body)
    .digest(encoding === 'hex' ? 'hex' : 'base64');
  return switches.get('signaturePrefix') === 'none' ? mac : `${hash}=${mac}`;
}
