import type { LoggedMessage } from '../../test/faults/checker.ts';

/** What the practice Slack, in a process of its own, is asked to do. */
export type SlackActs = {
  /** Everybody links, and all channels follow the project. */
  readonly follow: {
    readonly given: { readonly botUrl: string; readonly project: string };
    readonly gives: null;
  };
  /** For so many calls something goes wrong. */
  readonly spoil: { readonly given: SlackSpoiling; readonly gives: null };
  readonly figures: { readonly given: null; readonly gives: SlackFigures };
  /** A part of the log, of messages as they are shown. */
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
  /** Calls that were spoilt, by the way. */
  readonly spoilt: { readonly [How in SlackSpoiling['how']]?: number };
  /** Posts that were stored and not answered so: the bot cannot know. */
  readonly ambiguous: number;
  /** Calls that came faster than Slack allows, by method. */
  readonly tooFast: Readonly<Record<string, number>>;
  readonly offences: number;
  /** Of this process, in MiB. */
  readonly memory: number;
};

/** What it gets when it starts, as its first argument. */
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

/** What it says first: where it is. */
export type SlackReady = { readonly apiUrl: string; readonly teamId: string; readonly channelIds: string[] };
