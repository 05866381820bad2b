import { createHmac, randomUUID } from 'node:crypto';
import type { Env } from '../../env.ts';
import { doctorChallenge } from '../../slack/seen-signatures.ts';
import { type Asked, ask, findingsOn, type SetupFinding } from './finding.ts';

const { fault, ok } = findingsOn('public address');

/** Reaches the bot as Slack and browsers do, and asks what only this bot can answer: a signed URL verification of Slack's. */
export async function checkPublicAddress({ http, slack }: Env, now: () => Date): Promise<SetupFinding> {
  const { publicUrl, port } = http;
  const asked = await ask(`${publicUrl}/healthz`);
  if (!asked.ok) {
    const remedy =
      `start the bot, and point ${publicUrl} at its port ${port}` +
      ' (some networks cannot reach their own public address from inside: then check from another one)';
    return fault(`${publicUrl} ${asked.reason}`, remedy);
  }
  const { pathname } = new URL(publicUrl);
  const path = pathname === '/' ? 'the path unchanged' : `${pathname} stripped from the path`;
  const lead = `point ${publicUrl} at port ${port} of the bot, with ${path}`;
  if (asked.status !== 200) {
    return fault(`${publicUrl}/healthz answers ${asked.status} instead of 200`, lead);
  }
  const challenge = `${doctorChallenge}${randomUUID()}`;
  const body = JSON.stringify({ type: 'url_verification', challenge });
  const seconds = String(Math.floor(now().getTime() / 1_000));
  const send = (headers: Record<string, string>) =>
    ask(`${publicUrl}/slack/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-slack-request-timestamp': seconds, ...headers },
      body,
    });
  const [signed, unsigned] = [
    await send({ 'x-slack-signature': sign(slack.signingSecret, seconds, body) }),
    await send({}),
  ];
  // A server that does not reject an unsigned request is not a Slack app, whatever it answers.
  const isAnswered = signed.ok && signed.status === 200 && signed.text.includes(challenge);
  const isBot = isAnswered && statusOf(unsigned) === 401;
  const astray = isBot ? await pathsAstray(publicUrl, slack.access.kind) : [];
  if (astray.length > 0) {
    const remedy = `${lead}, for all of its paths and without a sign-in in front`;
    return fault(`something other than this bot answers at ${astray.join(', ')}`, remedy);
  }
  if (isBot && statusOf(await ask(`${publicUrl}/readyz`)) !== 503) return ok(`${publicUrl} leads to the bot`);
  if (isBot || statusOf(signed) === 503) {
    return fault(`the bot behind ${publicUrl} is not ready`, 'check its log');
  }
  if (statusOf(signed) === 401 && statusOf(unsigned) === 401) {
    const remedy = `give both the same SLACK_SIGNING_SECRET, restart the bot, or ${lead}`;
    return fault(`the bot behind ${publicUrl} has a different signing secret than the one set here`, remedy);
  }
  return fault(`something other than this bot answers at ${publicUrl}`, lead);
}

/** Returns the paths at which something else answers, such as a single sign-on. */
async function pathsAstray(publicUrl: string, access: Env['slack']['access']['kind']) {
  const paths = ['/notifications/doctor', '/link/doctor', '/oauth/callback', '/linked'];
  if (access === 'installed') paths.push('/slack/oauth_redirect');
  const answers = paths.map(async (path) => {
    const asked = await ask(`${publicUrl}${path}`, { method: path.startsWith('/n') ? 'POST' : 'GET' });
    if (!asked.ok) return [path];
    const { status, text, headers } = asked;
    const isJunk = status === 404 && text === '{}';
    const isPage = text.includes('· Plancast</title>') || headers.get('location') === `${publicUrl}/linked`;
    return isJunk || isPage ? [] : [path];
  });
  return (await Promise.all(answers)).flat();
}

/** Signs a request as Slack does: version 0, the time in seconds and the body, joined by colons. */
function sign(secret: string, seconds: string, body: string): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${seconds}:${body}`).digest('hex')}`;
}

function statusOf(asked: Asked): number | null {
  return asked.ok ? asked.status : null;
}
