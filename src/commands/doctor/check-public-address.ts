import type { Env } from '../../env.ts';
import type { Ask } from './ask.ts';
import { type Finding, fault, ok } from './finding.ts';

/** Comes to the bot the way that Slack, browsers and the service come. */
export async function checkPublicAddress({ publicUrl, port }: Env['http'], ask: Ask): Promise<Finding> {
  const asked = await ask(`${publicUrl}/healthz`);
  if (!asked.ok) {
    const remedy =
      `start the bot, and let ${publicUrl} lead to its port ${port}` +
      ' (from inside some networks their own public address cannot be reached: then try from another)';
    return fault('public address', `${publicUrl} ${asked.reason}`, remedy);
  }
  if (asked.status !== 200) {
    const remedy = `let ${publicUrl} lead to port ${port} of the bot, with the path as it is`;
    return fault('public address', `${publicUrl}/healthz answers ${asked.status} and not 200`, remedy);
  }
  return ok('public address', `${publicUrl} leads to the bot`);
}
