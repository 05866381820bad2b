import { setTimeout as sleep } from 'node:timers/promises';
import type { Workspace } from '../directory.ts';
import { type Answer, carriesOut, type Fault, spoil } from '../faults.ts';
import { type Fields, fieldsOf, parseJson, stringOf } from '../json.ts';
import type { ApiCall, State } from '../state.ts';
import { ApiError, type ApiMethod, requireScope } from './api-method.ts';
import { appMethods, exchangeCode, refreshToken } from './app-methods.ts';
import { chatMethods, countedChannel } from './chat-methods.ts';
import { conversationMethods } from './conversation-methods.ts';
import { userMethods } from './user-methods.ts';
import { viewMethods } from './view-methods.ts';

const methods: Record<string, ApiMethod> = {
  ...appMethods,
  ...chatMethods,
  ...conversationMethods,
  ...userMethods,
  ...viewMethods,
};

/** Methods that ask about the installation itself, not about one of its workspaces. */
const forInstallation = new Set(['auth.test', 'auth.revoke', 'auth.teams.list', 'apps.uninstall']);

export interface IncomingCall {
  method: string;
  args: Fields;
  token: string | undefined;
  userAgent: string | undefined;
  /** Slack's error code if the arguments could not be read at all. */
  unreadable?: string | undefined;
}

/** Carries out a call and returns the response it would get without faults. */
type Carry = () => Answer;

const json = (status: number, body: Fields, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body: JSON.stringify(body),
});

/** Returns the workspace a call is for: the one it names, the one its channel is in, or the token's first. */
function workspaceOf(state: State, workspaces: Workspace[], args: Fields): Workspace {
  const channel = state.directory.channels.get(String(args.channel));
  const named = workspaces.find(({ teamId }) => teamId === args.team_id);
  const holding = workspaces.find(({ teamId }) => channel?.teamIds.includes(teamId));
  const [first] = workspaces;
  const chosen = holding ?? named ?? first;
  if (chosen === undefined) throw new ApiError('invalid_auth');
  return chosen;
}

function requireToken(state: State, token: string | undefined): Workspace[] {
  if (token === undefined) throw new ApiError('not_authed');
  const workspaces = state.directory.workspacesOfToken(token);
  const refusal = workspaces.length === 0 ? 'invalid_auth' : workspaces[0]?.tokenRefusal;
  if (refusal !== undefined) throw new ApiError(refusal);
  if (workspaces.some((workspace) => state.installs.hasExpired(workspace, token)))
    throw new ApiError('token_expired');
  return workspaces;
}

function runMethod(state: State, { method, args, token, unreadable }: IncomingCall): Answer {
  if (method === 'oauth.v2.access') {
    const grant = args.grant_type === 'refresh_token' ? refreshToken : exchangeCode;
    return json(200, { ok: true, ...grant(state, args) });
  }
  const known = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (known === undefined) throw new ApiError('unknown_method', { req_method: method });
  const workspaces = requireToken(state, token);
  const workspace = workspaceOf(state, workspaces, args);
  const headers = { 'x-oauth-scopes': workspace.botScopes.join(',') };
  try {
    if (!workspace.accessGranted && !forInstallation.has(method))
      throw new ApiError('team_access_not_granted');
    if (known.scope !== undefined) requireScope(workspace, known.scope);
    const postsTo = known.posts ? countedChannel({ state, args, workspace, workspaces }) : undefined;
    const wait = state.rates.take({ method, teamId: workspace.teamId, tier: known.tier, postsTo });
    if (wait !== undefined) {
      return json(429, { ok: false, error: 'ratelimited' }, { ...headers, 'retry-after': String(wait) });
    }
    if (unreadable !== undefined) throw new ApiError(unreadable);
    return json(200, { ok: true, ...known.run({ state, method, args, workspace, workspaces }) }, headers);
  } catch (error) {
    if (error instanceof ApiError) return refusal(error, headers);
    throw error;
  }
}

function refusal({ code, extra }: ApiError, headers: Record<string, string> = {}): Answer {
  return json(200, { ok: false, error: code, ...extra }, headers);
}

function outcomeOf({ instead, status, body }: Answer): string {
  if (instead !== undefined) return instead;
  const { ok, error } = fieldsOf(parseJson(body));
  if (ok === true) return 'ok';
  return stringOf(error) ?? `status ${status}`;
}

/** Waits in real time, at most until the practice Slack closes. */
async function pause(state: State, ms: number | undefined): Promise<void> {
  if (ms === undefined || ms <= 0) return;
  await sleep(ms, undefined, { signal: state.closing.signal, ref: false }).catch(() => undefined);
}

async function withFault(state: State, fault: Fault, carry: Carry): Promise<Answer> {
  if (!carriesOut(fault)) {
    await pause(state, fault.delayMs);
    return spoil(json(200, { ok: true }), fault);
  }
  const isOnlySlow = fault.stored === undefined;
  if (isOnlySlow) await pause(state, fault.delayMs);
  const honest = carry();
  if (!isOnlySlow) await pause(state, fault.delayMs);
  return spoil(honest, fault);
}

/**
 * Answers one request and logs it: with the active fault, or by carrying it out.
 * @param call the log entry; filled in with the outcome
 * @param channels ids that per-channel faults are compared with
 * @param carry carries out the request; called at most once
 */
export async function answerLogged(
  state: State,
  call: ApiCall,
  channels: unknown[],
  carry: Carry,
): Promise<Answer> {
  state.calls.push(call);
  const fault = state.faults.take({ method: call.method, teamId: call.teamId, channels });
  call.faulted = fault !== undefined;
  const answer = fault === undefined ? carry() : await withFault(state, fault, carry);
  call.status = answer.instead === undefined ? answer.status : undefined;
  call.outcome = outcomeOf(answer);
  state.changes.notify();
  return answer;
}

/** Answers a Web API call. */
export async function handleCall(state: State, incoming: IncomingCall): Promise<Answer> {
  const { method, args, token, userAgent } = incoming;
  const { client_secret: _secret, refresh_token: _token, ...logged } = args;
  const [workspace] = token === undefined ? [] : state.directory.workspacesOfToken(token);
  const call: ApiCall = {
    method,
    args: logged,
    teamId: workspace?.teamId,
    userAgent,
    at: state.now(),
    status: undefined,
    outcome: undefined,
    faulted: false,
  };
  return await answerLogged(state, call, [args.channel, args.user_id, args.user], () => {
    try {
      return runMethod(state, incoming);
    } catch (error) {
      if (error instanceof ApiError) return refusal(error);
      throw error;
    }
  });
}
