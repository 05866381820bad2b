import type { BlockProblem } from '../block-kit.ts';
import { problemLines } from '../content.ts';
import type { Channel, Workspace } from '../directory.ts';
import type { Fields } from '../json.ts';
import type { Tier } from '../limits.ts';
import type { State } from '../state.ts';

/** A call that has passed the token and rate checks: the input of a method. */
export interface MethodCall {
  state: State;
  method: string;
  /** Parsed arguments, without the token. */
  args: Fields;
  /** The workspace the call is for. */
  workspace: Workspace;
  /** All workspaces the token is valid for: several if it belongs to an organization. */
  workspaces: Workspace[];
}

export interface ApiMethod {
  /** The scope every call needs. What depends on the channel is checked later, with `requireScope`. */
  scope?: string | undefined;
  /** Undefined: Slack's "special" tier, not counted here. */
  tier?: Tier | undefined;
  /** Counted as a message to its channel. */
  posts?: boolean | undefined;
  /** Returns the fields that accompany `ok: true`. Throws ApiError for everything else. */
  run(call: MethodCall): Fields;
}

/** `ok: false` with Slack's error code; `extra` is added to the response. */
export class ApiError extends Error {
  readonly code: string;
  readonly extra: Fields;

  constructor(code: string, extra: Fields = {}) {
    super(code);
    this.name = 'ApiError';
    this.code = code;
    this.extra = extra;
  }
}

/** @throws ApiError `missing_scope` unless the workspace granted it */
export function requireScope(workspace: Workspace, scope: string): void {
  if (workspace.botScopes.includes(scope)) return;
  throw new ApiError('missing_scope', { needed: scope, provided: workspace.botScopes.join(',') });
}

/**
 * Refuses blocks that only this workspace does not support. They are no offense: the bot cannot know before it has tried.
 * @throws ApiError with Slack's error code for the first one
 */
export function requireTaken(problems: readonly BlockProblem[]): void {
  const [first] = problems;
  if (first === undefined) return;
  throw new ApiError(first.error, {
    errors: problems.map(({ sentence }) => sentence),
    response_metadata: { messages: problemLines([...problems]) },
  });
}

export interface ReachedChannel {
  channel: Channel;
  /** The workspace through which the token reaches the channel. */
  workspace: Workspace;
  botIsIn: boolean;
}

/**
 * Returns the channel with this id if the bot can see it: any public channel, and others only if the bot is a member.
 * @throws ApiError `channel_not_found`
 */
export function reachChannel({ state, workspaces }: MethodCall, id: unknown): ReachedChannel {
  const channel = typeof id === 'string' ? state.directory.channels.get(id) : undefined;
  const workspace = workspaces.find(({ teamId }) => channel?.teamIds.includes(teamId));
  if (channel === undefined || workspace === undefined) throw new ApiError('channel_not_found');
  const botIsIn = state.directory.botIsIn(channel, workspace);
  if (channel.kind !== 'public' && !botIsIn) throw new ApiError('channel_not_found');
  return { channel, workspace, botIsIn };
}

/** Returns the `limit` argument, capped at `max`; `usual` unless it is a positive integer. */
export function limitOf(args: Fields, { usual, max }: { usual: number; max: number }): number {
  const asked = Number(args.limit ?? usual);
  return Number.isInteger(asked) && asked > 0 ? Math.min(asked, max) : usual;
}

/** Returns one page of a list, with Slack's cursor for the next page. */
export function pageOf<T>(all: T[], args: Fields, size: { usual: number; max: number }) {
  const start = Number(
    args.cursor === undefined || args.cursor === '' ? 0 : Buffer.from(String(args.cursor), 'base64'),
  );
  if (!Number.isInteger(start) || start < 0) throw new ApiError('invalid_cursor');
  const end = start + limitOf(args, size);
  const next = end < all.length ? Buffer.from(String(end)).toString('base64') : '';
  return { entries: all.slice(start, end), response_metadata: { next_cursor: next } };
}
