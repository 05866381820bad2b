import { z } from 'zod';
import { hasTemplates } from '../../core/model/service-urls.ts';
import type { Env } from '../../env.ts';
import { minuteMs } from '../../lib/durations.ts';
import { featuresOff, requiredScopes } from '../../slack/scopes.ts';
import type { SeenSignatures } from '../../slack/seen-signatures.ts';
import { describeFeatures } from '../lib/stored-installations.ts';
import { type Asked, ask, findingsOn, type SetupFinding, type SystemFindings } from './finding.ts';

const { fault, ok, skipped, warning } = findingsOn('Slack');

/** Slack: every answer has `ok`, and if that is false an `error` code. */
const answerShape = z.object({
  ok: z.boolean(),
  error: z
    .string()
    .regex(/^\w{1,80}$/)
    .catch('an unknown error'),
  team: z.string().max(200).catch(''),
});

/** A workspace or organization, and the bot's token there. */
type InstalledToken = { readonly id: string; readonly token: string };

/** Asks Slack whether it accepts the credentials and the tokens of installations, null if unknown. This changes nothing there. */
export async function checkSlack(
  { slack: { access, apiUrl, installUrl }, service }: Pick<Env, 'slack' | 'service'>,
  installations: readonly InstalledToken[] | null,
): Promise<SystemFindings> {
  const judge = (asked: Answered) => judgeScopes(asked, hasTemplates(service.links), installUrl);
  const call = (name: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
    ask(`${apiUrl}${name}`, { method: 'POST', headers, body: new URLSearchParams(form) });
  const testToken = (token: string) => call('auth.test', {}, { authorization: `Bearer ${token}` });
  // Not a real code: Slack checks the app first, then refuses the code.
  const testApp = (client_id: string, client_secret: string) =>
    call('oauth.v2.access', { client_id, client_secret, code: 'doctor' });
  const asked =
    access.kind === 'one workspace'
      ? await testToken(access.botToken)
      : await testApp(access.clientId, access.clientSecret);
  if (!asked.ok) {
    const remedy = 'allow the bot to reach SLACK_API_URL, and check Slack’s status page';
    return { findings: [fault(`its API ${asked.reason}`, remedy)], aheadSeconds: null };
  }
  const { aheadSeconds } = asked;
  if (access.kind === 'one workspace') {
    const token = judgeToken(asked);
    return { findings: token.state === 'ok' ? [token, judge(asked)] : [token], aheadSeconds };
  }
  const tested = (installations ?? []).map(async ({ id, token }) => ({ id, asked: await testToken(token) }));
  const judged =
    installations === null ? [] : judgeInstallations(await Promise.all(tested), judge, installUrl);
  return { findings: [judgeApp(asked), ...judged], aheadSeconds };
}

function judgeInstallations(
  tested: readonly { readonly id: string; readonly asked: Asked }[],
  judge: typeof judgeToken,
  installUrl: string,
): SetupFinding[] {
  const again = `open ${installUrl}`;
  if (tested.length === 0) return [fault('no workspace has installed the app', again)];
  const inOrder = tested.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const found = inOrder.flatMap(({ id, asked }) => {
    // A token that is rotated in time has expired if the bot has not run for half a day.
    if (!asked.ok || asked.text.includes('"token_expired"')) return [];
    const token = judgeToken(asked);
    return { id, finding: token.state === 'ok' ? judge(asked) : token };
  });
  return (['fault', 'warning'] as const).flatMap((state) => {
    const bad = found.filter(({ finding }) => finding.state === state);
    const alike = Map.groupBy(bad, ({ finding }) => finding.text);
    const line = state === 'fault' ? fault : warning;
    return [...alike].map(([text, those]) =>
      line(`in ${those.map(({ id }) => id).join(', ')}, ${text}`, again),
    );
  });
}

/** Accepted and refused requests are each recorded at most once a minute, so times this close together do not show which came last. */
const busyMs = 10 * minuteMs;

/**
 * Judges the signing secret by the requests that have arrived, since only Slack's own requests can prove it. Anyone can send a request that
 * does not match, so that is a fault only if none has ever matched.
 */
export function judgeSignatures(seen: SeenSignatures | null): SetupFinding {
  const { accepted = null, refused = null } = seen ?? {};
  if (accepted === null && refused === null) {
    return skipped('SLACK_SIGNING_SECRET cannot be checked from here until Slack has sent a request');
  }
  const copy = 'copy Signing Secret from Basic Information of the Slack app, and restart the bot';
  if (accepted === null) {
    return fault(
      `its requests do not match SLACK_SIGNING_SECRET (the last one came at ${minuteOf(refused)})`,
      copy,
    );
  }
  if (refused !== null && refused > accepted + busyMs) {
    return warning(
      `a request that came at ${minuteOf(refused)} does not match SLACK_SIGNING_SECRET, and no later one does`,
      `if commands fail in Slack, the secret was changed there: ${copy}`,
    );
  }
  return ok(`its requests match SLACK_SIGNING_SECRET (the last one noted came at ${minuteOf(accepted)})`);
}

function minuteOf(milliseconds: number | null): string {
  return `${new Date(milliseconds ?? 0).toISOString().slice(0, 16)}Z`;
}

type Answered = Extract<Asked, { ok: true }>;

function judgeToken(answered: Answered): SetupFinding {
  const answer = readAnswer(answered);
  if (answer === undefined) return notSlack(answered);
  if (!answer.ok) {
    const remedy =
      'copy the Bot User OAuth Token from OAuth & Permissions of the Slack app into SLACK_BOT_TOKEN';
    return fault(`it refuses the bot token (${answer.error})`, remedy);
  }
  return ok(`the bot token is that of the workspace ${answer.team || 'without a name'}`);
}

function judgeScopes({ headers }: Answered, previews: boolean, installUrl: string): SetupFinding {
  const granted = headers
    .get('x-oauth-scopes')
    ?.split(',')
    .map((scope) => scope.trim());
  if (granted === undefined) return ok('Slack didn’t say which scopes were granted');
  const missing = requiredScopes.filter((scope) => !granted.includes(scope));
  if (missing.length > 0) {
    const remedy = 'update the Slack app with the output of `npm run manifest`, and reinstall it';
    return fault(`scopes are missing: ${missing.join(', ')}`, remedy);
  }
  const off = featuresOff(granted, { previews });
  if (off.length === 0) return ok('all scopes are granted');
  const remedy = `update the Slack app with the output of \`npm run manifest\`, and reinstall it at ${installUrl}`;
  return warning(`off for lack of scopes: ${describeFeatures(off)}`, remedy);
}

function judgeApp(answered: Answered): SetupFinding {
  const answer = readAnswer(answered);
  if (answer === undefined) return notSlack(answered);
  if (['invalid_client_id', 'bad_client_secret', 'invalid_client'].includes(answer.error)) {
    const remedy = 'copy Client ID and Client Secret from Basic Information of the Slack app';
    return fault(`it refuses SLACK_CLIENT_ID or SLACK_CLIENT_SECRET (${answer.error})`, remedy);
  }
  return ok('its API answers and accepts the client id and secret');
}

function readAnswer({ text }: Answered) {
  try {
    return answerShape.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function notSlack({ status }: Answered): SetupFinding {
  return fault(`SLACK_API_URL answers ${status}, and not as Slack does`, 'fix SLACK_API_URL, or remove it');
}
