import { viewJson } from '../api/wire-format.ts';
import { validateView } from '../block-kit.ts';
import type { BotAnswer } from '../deliver.ts';
import { idOf, type Ref } from '../directory.ts';
import { heldBy } from '../element-values.ts';
import { type FoundElement, findElements } from '../find-elements.ts';
import { type Fields, fieldsOf, stringOf } from '../json.ts';
import { stateValues, type View } from '../views.ts';
import { fillView, type Values } from './fill.ts';
import { type Doing, type Done, envelopeOf, failureOf, type Stage, sendInteraction } from './interaction.ts';

export interface ViewInput extends Doing {
  user: Ref;
  /** The view, or its id. Default: the topmost one on the person's screen. */
  viewId?: string | View | undefined;
}

export interface SubmitInput extends ViewInput {
  values?: Values | undefined;
  /** Sends what Slack would not: an empty required field, or text that is too long. */
  force?: boolean | undefined;
}

export interface Submitted extends Done {
  /** The errors the bot returned, by block id; empty if it accepted the form. */
  errors: Record<string, string>;
  /** What happened to the view. */
  outcome: 'closed' | 'cleared' | 'errors' | 'updated' | 'pushed' | 'failed';
}

/** @throws Error if the person has no such modal open */
export function modalOf({ state }: Stage, { user, viewId }: ViewInput): View {
  if (typeof viewId === 'object') return viewId;
  const open = state.views
    .all()
    .filter((view) => view.isOpen && view.type === 'modal' && view.userId === idOf(user));
  const view = viewId === undefined ? open.at(-1) : open.find(({ id }) => id === viewId);
  if (view === undefined) throw new Error(`${idOf(user)} does not have this modal open.`);
  return view;
}

/** Returns why Slack would not submit the form, or undefined. */
function heldBack({ blockId, actionId, element, input }: FoundElement, view: View): string | undefined {
  if (input === undefined) return undefined;
  const held = heldBy(element, stateValues(view)[blockId]?.[actionId] ?? {});
  const isEmpty =
    held === null || held === '' || held === undefined || (Array.isArray(held) && held.length === 0);
  if (isEmpty) return input.optional === true ? undefined : `${actionId} must be filled in`;
  if (typeof held !== 'string') return undefined;
  if (typeof element.max_length === 'number' && held.length > element.max_length)
    return `${actionId} is too long`;
  if (typeof element.min_length === 'number' && held.length < element.min_length)
    return `${actionId} is too short`;
  return undefined;
}

function responseUrlsOf(stage: Stage, view: View): Fields[] {
  return findElements(view.blocks).flatMap(({ blockId, actionId, element }) => {
    if (element.response_url_enabled !== true) return [];
    const channelId = stringOf(heldBy(element, stateValues(view)[blockId]?.[actionId] ?? {}));
    if (channelId === undefined) return [];
    const { teamId, userId } = view;
    const url = stage.state.responseUrls.issue({
      kind: 'app',
      teamId,
      channelId,
      userId,
      messageId: undefined,
    });
    const responseUrl = `${stage.origin()}${url.path}`;
    return [{ block_id: blockId, action_id: actionId, channel_id: channelId, response_url: responseUrl }];
  });
}

type Settled = Pick<Submitted, 'errors' | 'outcome'>;

function noteBadAnswer({ state }: Stage, view: View, sentence: string): Settled {
  state.violations.add({ kind: 'answer', method: 'view_submission', sentence, teamId: view.teamId });
  return { errors: {}, outcome: 'failed' };
}

function settleErrors(stage: Stage, view: View, errors: Fields): Settled {
  const blockIds = new Set(findElements(view.blocks).map(({ blockId }) => blockId));
  const stray = Object.keys(errors).filter((key) => !blockIds.has(key));
  if (stray.length > 0)
    noteBadAnswer(stage, view, `Errors for blocks that are not there: ${stray.join(', ')}.`);
  const words = Object.fromEntries(Object.entries(errors).map(([key, value]) => [key, String(value)]));
  view.errors = words;
  stage.state.changes.notify();
  return { errors: words, outcome: 'errors' };
}

function settleView(
  stage: Stage,
  view: View,
  { action, next }: { action: 'update' | 'push'; next: Fields },
): Settled {
  const { views } = stage.state;
  const problems = validateView(next);
  if (problems.length > 0) {
    const lines = problems.map(({ pointer, sentence }) => `${pointer}: ${sentence}`);
    return noteBadAnswer(stage, view, lines.join(' '));
  }
  if (action === 'update') {
    views.update(view, next);
    return { errors: {}, outcome: 'updated' };
  }
  const pushed = views.push(view, next);
  return pushed === undefined
    ? noteBadAnswer(stage, view, 'A fourth modal was pushed.')
    : { errors: {}, outcome: 'pushed' };
}

/** Applies the response to a submission: close, clear, show errors, update, push. */
function settle(stage: Stage, view: View, answer: BotAnswer): Settled {
  if (failureOf(answer) !== undefined) return { errors: {}, outcome: 'failed' };
  const { response_action: action, errors, view: next } = fieldsOf(answer.json);
  switch (action) {
    case undefined:
      stage.state.views.close(view, { all: false });
      return { errors: {}, outcome: 'closed' };
    case 'clear':
      stage.state.views.close(view, { all: true });
      return { errors: {}, outcome: 'cleared' };
    case 'errors':
      return settleErrors(stage, view, fieldsOf(errors));
    case 'update':
    case 'push':
      return settleView(stage, view, { action, next: fieldsOf(next) });
    default:
      return noteBadAnswer(stage, view, `Slack knows no response_action ${String(action)}.`);
  }
}

/**
 * Fills in a modal and submits it.
 * @throws Error if Slack would not submit it because a required field is empty or a text is too long (not with `force`)
 */
export async function submitView(stage: Stage, input: SubmitInput): Promise<Submitted> {
  const { state } = stage;
  const view = modalOf(stage, input);
  fillView(view, input.values);
  const reasons = findElements(view.blocks).flatMap((found) => heldBack(found, view) ?? []);
  if (reasons.length > 0 && !input.force)
    throw new Error(`Slack would not submit this: ${reasons.join('; ')}`);
  const user = state.directory.user(input.user);
  const workspace = state.directory.workspace(view.teamId);
  const { id: triggerId } = state.triggers.issue({
    id: input.triggerId,
    teamId: view.teamId,
    userId: user.id,
    channelId: view.channelId,
  });
  const payload = {
    type: 'view_submission',
    ...envelopeOf(stage, { user, workspace }),
    trigger_id: triggerId,
    view: viewJson(state, view),
    response_urls: responseUrlsOf(stage, view),
  };
  let settled: Settled = { errors: {}, outcome: 'failed' };
  const done = await sendInteraction(stage, {
    payload,
    doing: input,
    settle: (answer) => {
      settled = settle(stage, view, answer);
    },
  });
  return { ...done, ...settled };
}

export interface CloseInput extends ViewInput {
  /** True: the X button, which closes the whole stack. Default: the close button of this view. */
  cleared?: boolean | undefined;
}

/** Closes a modal. The bot is notified only if the view asks for it; otherwise returns undefined. */
export async function closeView(stage: Stage, input: CloseInput): Promise<Done | undefined> {
  const { state } = stage;
  const view = modalOf(stage, input);
  const all = input.cleared === true || view.clearOnClose;
  const payload = {
    type: 'view_closed',
    ...envelopeOf(stage, {
      user: state.directory.user(input.user),
      workspace: state.directory.workspace(view.teamId),
    }),
    view: viewJson(state, view),
    is_cleared: all,
  };
  state.views.close(view, { all });
  return view.notifyOnClose ? await sendInteraction(stage, { payload, doing: input }) : undefined;
}
