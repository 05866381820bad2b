import type { LoggedMessage } from '../../test/faults/checker.ts';

/** Requests to the practice Slack, which runs in its own process. */
export type SlackActs = {
  /** Everyone links, and all channels subscribe to the project. */
  readonly follow: {
    readonly given: { readonly botUrl: string; readonly project: string };
    readonly gives: null;
  };
  /** Makes a number of calls fail. */
  readonly spoil: { readonly given: SlackSpoiling; readonly gives: null };
  readonly figures: { readonly given: null; readonly gives: SlackFigures };
  /** Returns a part of the log, with messages as they are displayed. */
  readonly log: {
    readonly given: { readonly from: number };
    readonly gives: { readonly messages: LoggedMessage[]; readonly more: boolean };
  };
  readonly close: { readonly given: null; readonly gives: null };
};

/** Ways for Slack to misbehave, for `times` posts. */
export type SlackSpoiling = {
  readonly how: 'asked to wait' | 'error' | 'reset' | 'error after storing' | 'reset after storing' | 'slow';
  readonly times: number;
};

export type SlackFigures = {
  readonly posts: number;
  readonly updates: number;
  /** Calls that were made to fail, by kind. */
  readonly spoiled: { readonly [How in SlackSpoiling['how']]?: number };
  /** Posts that were stored but not answered as such: the bot cannot know. */
  readonly ambiguous: number;
  /** Calls that came faster than Slack allows, by method. */
  readonly tooFast: Readonly<Record<string, number>>;
  readonly violations: number;
  /** Memory of this process, in MiB. */
  readonly memory: number;
};

/** Its settings, passed as the first argument. */
export type SlackSettings = {
  readonly signingSecret: string;
  readonly botToken: string;
  readonly channels: number;
  readonly people: readonly { readonly name: string; readonly email: string }[];
  readonly answerAfterMs: number;
};

export type SlackRequest = { readonly id: number; readonly act: keyof SlackActs; readonly given: unknown };

export type SlackReply =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly problem: string };

/** Its first message: its address. */
export type SlackReady = { readonly apiUrl: string; readonly teamId: string; readonly channelIds: string[] };
