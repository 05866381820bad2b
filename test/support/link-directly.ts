import { authorizeAs } from '../../sandbox/service/authorize-as.ts';
import type { SlackPerson } from '../../src/core/model/people.ts';
import type { TestCore } from './bot.ts';

/** Links a person without the pages and what follows them, with tokens that the service really issued. Returns the link's id. */
export async function linkDirectly(
  { oauth, links, sealing, clock }: Pick<TestCore, 'oauth' | 'links' | 'sealing' | 'clock'>,
  person: SlackPerson,
  account: string,
): Promise<string> {
  const attempt = oauth.newAttempt();
  const consent = await oauth.authorizationUrl(attempt);
  const back = new URL(await authorizeAs(consent.href, account));
  const callback = oauth.readCallback(back.searchParams, attempt.state);
  if (callback.kind !== 'code') throw new Error('the service gave no code');
  const grant = await oauth.exchange({ ...callback, codeVerifier: attempt.codeVerifier });
  const result = await links.write(sealing, { person, grant, now: clock.now(), replaces: () => true });
  if (!result.written) throw new Error('the link was not written');
  return result.link.id;
}
