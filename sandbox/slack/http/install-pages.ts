import { type Request, type Response, Router, urlencoded } from 'express';
import type { Workspace } from '../directory.ts';
import { stringOf } from '../json.ts';
import type { State } from '../state.ts';

/** What the app requests on the authorize page. */
export interface InstallRequest {
  clientId: string;
  scopes: string[];
  state: string | undefined;
  redirectUri: string | undefined;
  /** The workspace that is preselected. */
  teamId: string | undefined;
}

export interface Decision {
  teamId: string;
  userId: string;
  /** Optional scopes the person deselected. */
  declined?: string[] | undefined;
}

/** Reads the query of the authorize URL. */
export function readInstallRequest(query: URLSearchParams): InstallRequest {
  return {
    clientId: query.get('client_id') ?? '',
    scopes: (query.get('scope') ?? '').split(/[ ,]+/).filter((scope) => scope !== ''),
    state: query.get('state') ?? undefined,
    redirectUri: query.get('redirect_uri') ?? undefined,
    teamId: query.get('team') ?? undefined,
  };
}

/** Returns why Slack would show an error page instead of the consent page, or undefined. */
function refusalOf(state: State, { clientId, redirectUri }: InstallRequest): string | undefined {
  if (clientId !== state.app.clientId) return 'invalid_client_id';
  if (redirectUri === undefined && state.app.redirectUri === undefined) return 'bad_redirect_uri';
  const registered = state.app.redirectUri;
  const fits = registered === undefined || redirectUri === undefined || redirectUri.startsWith(registered);
  return fits ? undefined : 'bad_redirect_uri';
}

function back(state: State, request: InstallRequest, answer: Record<string, string>): string {
  const target = new URL(request.redirectUri ?? state.app.redirectUri ?? 'http://127.0.0.1/');
  for (const [key, value] of Object.entries(answer)) target.searchParams.set(key, value);
  if (request.state !== undefined) target.searchParams.set('state', request.state);
  return target.href;
}

/**
 * Clicks Allow.
 * @returns the browser's next address: the app's redirect address with `code` and `state`
 * @throws Error if Slack would show an error page
 */
export function allowInstall(state: State, request: InstallRequest, decision: Decision): string {
  const refusal = refusalOf(state, request);
  if (refusal !== undefined) throw new Error(refusal);
  const { teamId, userId, declined = [] } = decision;
  const { code } = state.installs.approve({
    teamId,
    userId,
    scopes: request.scopes.filter((scope) => !declined.includes(scope)),
    redirectUri: request.redirectUri,
  });
  return back(state, request, { code });
}

/** Clicks Cancel. Returns the browser's next address, with `error=access_denied`. */
export function denyInstall(state: State, request: InstallRequest): string {
  return back(state, request, { error: 'access_denied' });
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}

function page(body: string): string {
  return `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Practice Slack</title><body>${body}</body></html>`;
}

function choice({ teamId, name }: Workspace, asked: string | undefined): string {
  const selected = teamId === asked ? ' selected' : '';
  return `<option value="${escapeHtml(teamId)}"${selected}>${escapeHtml(name)}</option>`;
}

function question(state: State, { scopes, teamId }: InstallRequest): string {
  const workspaces = [...state.directory.workspaces.values()]
    .map((workspace) => choice(workspace, teamId))
    .join('');
  const asked = scopes.map((scope) => `<li>${escapeHtml(scope)}</li>`).join('');
  return page(`<h1>The app wants to be installed</h1><ul>${asked}</ul>
<form method="post"><label>Workspace <select name="team">${workspaces}</select></label>
<button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Cancel</button></form>`);
}

function queryOf(request: Request): URLSearchParams {
  return new URL(request.originalUrl, 'http://practice.invalid').searchParams;
}

function installerIn({ directory }: State, teamId: string): string {
  const people = [...directory.users.values()].filter((user) => user.teamId === teamId && !user.isBot);
  return (people.find(({ isAdmin }) => isAdmin) ?? people[0])?.id ?? 'U000000000';
}

function decide(state: State, request: Request, response: Response): void {
  const asked = readInstallRequest(queryOf(request));
  const form = request.body as Record<string, unknown>;
  if (form.decision !== 'allow') {
    response.redirect(302, denyInstall(state, asked));
    return;
  }
  const teamId = stringOf(form.team) ?? state.directory.firstWorkspace().teamId;
  const userId = stringOf(form.user) ?? installerIn(state, teamId);
  response.redirect(302, allowInstall(state, asked, { teamId, userId }));
}

/** Serves the pages of the OAuth v2 install: choose a workspace, Allow or Cancel. */
export function installPages(state: State): Router {
  const router = Router();
  router.use('/oauth/v2/authorize', (request, response, next) => {
    const refusal = refusalOf(state, readInstallRequest(queryOf(request)));
    if (refusal === undefined) return next();
    response
      .status(400)
      .type('html')
      .send(page(`<h1>Something went wrong</h1><p>${refusal}</p>`));
  });
  router.get('/oauth/v2/authorize', (request, response) => {
    response.type('html').send(question(state, readInstallRequest(queryOf(request))));
  });
  router.post('/oauth/v2/authorize', urlencoded({ extended: false }), (request, response) =>
    decide(state, request, response),
  );
  return router;
}
