import { type BotAnswer, FORM, JSON_TYPE, type Tampering } from '../deliver.ts';
import type { Workspace } from '../directory.ts';
import { type Fields, stringOf } from '../json.ts';
import type { State } from '../state.ts';
import { type Stage, VERIFICATION_TOKEN } from './interaction.ts';

export interface EventInput {
  /** The workspace of the event. Default: that of its channel or user, else the first. */
  teamId?: string | undefined;
  /** Set this to deliver the same event again. */
  eventId?: string | undefined;
  /** The retry number: 1 to 3. */
  retryNum?: number | undefined;
  /** Default with `retryNum`: `http_timeout`. */
  retryReason?: string | undefined;
  tamper?: Tampering | undefined;
  /** Envelope fields to override. */
  overrides?: Fields | undefined;
}

export interface SentEvent extends BotAnswer {
  payload: Fields;
  eventId: string;
  /** Sends the identical event again. With a number: as that retry. */
  replay(retryNum?: number): Promise<SentEvent>;
}

/** Events without `authorizations`: the app no longer has any. */
const PARTING = new Set(['app_uninstalled', 'tokens_revoked']);

function workspaceOf({ directory }: State, inner: Fields, teamId: string | undefined): Workspace {
  if (teamId !== undefined) return directory.workspace(teamId);
  const channel = directory.channels.get(String(inner.channel));
  const user = directory.users.get(String(inner.user));
  const found =
    directory.workspaces.get(channel?.teamIds[0] ?? '') ?? directory.workspaces.get(user?.teamId ?? '');
  return found ?? directory.firstWorkspace();
}

function envelope(state: State, inner: Fields, input: EventInput): Fields {
  const workspace = workspaceOf(state, inner, input.teamId);
  const { teamId, botUserId, isEnterpriseInstall } = workspace;
  const enterpriseId = workspace.enterpriseId ?? null;
  const authorization = {
    enterprise_id: enterpriseId,
    team_id: isEnterpriseInstall ? null : teamId,
    user_id: botUserId,
    is_bot: true,
    is_enterprise_install: isEnterpriseInstall,
  };
  const channel = state.directory.channels.get(String(inner.channel));
  const parting = PARTING.has(String(inner.type));
  return {
    token: VERIFICATION_TOKEN,
    team_id: teamId,
    context_team_id: teamId,
    context_enterprise_id: enterpriseId,
    api_app_id: state.app.appId,
    event: { event_ts: state.ids.ts(), ...inner },
    type: 'event_callback',
    event_id: input.eventId ?? state.ids.passing('Ev'),
    event_time: Math.floor(state.now() / 1000),
    ...(!parting && { authorizations: [authorization] }),
    is_ext_shared_channel: channel?.isExtShared ?? false,
    event_context: `4-${state.ids.secret()}`,
    ...input.overrides,
  };
}

function retryHeaders(retryNum: number | undefined, reason = 'http_timeout'): Record<string, string> {
  return retryNum === undefined
    ? {}
    : { 'x-slack-retry-num': String(retryNum), 'x-slack-retry-reason': reason };
}

/**
 * Delivers one event once; use `replay` for Slack's retries.
 * @param inner the event itself: `{ type: 'channel_archive', channel, user }`
 */
export async function sendEvent(stage: Stage, inner: Fields, input: EventInput = {}): Promise<SentEvent> {
  const payload = envelope(stage.state, inner, input);
  const body = JSON.stringify(payload);
  const send = async (retryNum: number | undefined): Promise<SentEvent> => {
    const headers = retryHeaders(retryNum, input.retryReason);
    const answer = await stage.deliver({ contentType: JSON_TYPE, body, headers, tamper: input.tamper });
    return { ...answer, payload, eventId: stringOf(payload.event_id) ?? '', replay: send };
  };
  return await send(input.retryNum);
}

/** Verifies the bot's address with `url_verification`, signed like every request. */
export async function verifyUrl(
  stage: Stage,
  challenge = 'practice-challenge',
  tamper?: Tampering,
): Promise<BotAnswer> {
  const body = JSON.stringify({ token: VERIFICATION_TOKEN, challenge, type: 'url_verification' });
  return await stage.deliver({ contentType: JSON_TYPE, body, tamper });
}

/** Sends the certificate check for a command's address. Slack does not document whether it signs this; `tamper` can omit the signature. */
export async function checkSsl(stage: Stage, tamper?: Tampering): Promise<BotAnswer> {
  const body = new URLSearchParams({ ssl_check: '1', token: VERIFICATION_TOKEN }).toString();
  return await stage.deliver({ contentType: FORM, body, tamper });
}
