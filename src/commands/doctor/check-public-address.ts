import type { Env } from '../../env.ts';
import type { Ask } from './ask.ts';
import { type Finding, fault, ok } from './finding.ts';

/** Requests the bot from outside, as Slack, browsers and the service do. */
export async function checkPublicAddress({ publicUrl, port }: Env['http'], ask: Ask): Promise<Finding> {
  const asked = await ask(`${publicUrl}/healthz`);
  if (!asked.ok) {
    const remedy =
      `start the bot, and let ${publicUrl} lead to its port ${port}` +
      ' (some networks cannot reach their own public address from inside: then check from another one)';
    return fault('public address', `${publicUrl} ${asked.reason}`, remedy);
  }
  if (asked.status !== 200) {
    const remedy = `let ${publicUrl} lead to port ${port} of the bot, with the path unchanged`;
    return fault('public address', `${publicUrl}/healthz answers ${asked.status} and not 200`, remedy);
  }
  return ok('public address', `${publicUrl} leads to the bot`);
}
