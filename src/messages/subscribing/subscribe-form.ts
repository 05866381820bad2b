import type { KnownBlock, ModalView, PlainTextOption } from '@slack/types';
import { followedWords } from '../../core/model/format-request.ts';
import type { Followed } from '../../core/model/request.ts';
import type { TargetKind } from '../../core/model/subscription.ts';
import { describeSettings, type SubscriptionSettings } from '../text/copy.ts';
import { cutEnd } from '../text/escape.ts';
import { limits } from '../text/limits.ts';
import { actions, button, context, type Message, notice, plainText, section } from '../text/message.ts';
import { actionIds, callbackIds, type FormFaults, input, modal, option } from '../text/modal.ts';
import {
  capital,
  channel,
  counted,
  grouped,
  inPlain,
  item,
  joined,
  type Phrase,
  plainly,
  quoted,
  say,
  strong,
} from '../text/phrase.ts';
import { type Form, faultLines, fieldBlocks } from './form-fields.ts';

/** The `block_id` and `action_id` of the first step's field, and of the field for people in the second, which the bot has options for. */
export const pickers = { target: 'target', people: 'people' } as const;

/** Makes the form's first step, which asks what to follow. `channelId`: null to choose one in the second; `chosen`: before Back was pressed. */
export function targetForm(form: {
  readonly channelId: string | null;
  readonly metadata: string;
  readonly chosen?: PlainTextOption;
}): ModalView {
  return modal({
    callbackId: callbackIds.target,
    metadata: form.metadata,
    title: 'Subscribe',
    submit: 'Next',
    blocks: [
      ...(form.channelId === null ? [] : [section([say`Posting to ${channel(form.channelId)}`])]),
      input(pickers.target, {
        label: 'Project, session or link',
        hint: 'Type a name, or paste a link or a 9-digit id. Then choose what fits.',
        element: {
          type: 'external_select',
          min_query_length: 0,
          focus_on_load: true,
          placeholder: plainText('Name, link or id', limits.placeholder),
          ...(form.chosen && { initial_option: form.chosen }),
        },
      }),
    ],
  });
}

/** What the form was asked to follow, and its name if that may be shown. */
export type Recognized = { readonly target: Followed; readonly name: string | null };

/**
 * Makes the second step, which subscribes or edits a subscription. Drawn again with more fields, it keeps what was entered, because its fields
 * keep their ids (Slack docs: updating modals). `hasBack`: whether the first step led to it.
 */
export function subscribeForm(
  form: Form,
  step: {
    readonly recognized: Recognized;
    readonly isEdit: boolean;
    readonly hasBack: boolean;
    readonly metadata: string;
  },
): ModalView {
  const { isEdit, hasBack, metadata } = step;
  const what = nameRecognized(step.recognized);
  const { channelId, more } = form;
  return modal({
    callbackId: callbackIds.subscribe,
    metadata,
    title: isEdit ? 'Edit subscription' : 'Subscribe',
    submit: isEdit ? 'Save' : 'Subscribe',
    blocks: [
      section([channelId === null ? what : say`${what} in ${channel(channelId)}`]),
      ...fieldBlocks(form),
      actions([
        button(actionIds.formPreview, 'Preview', { spokenAfter: say` the latest matching messages` }),
        !more && button(actionIds.formMore, 'More options', { spokenAfter: say`: folders, people, threads` }),
        hasBack && button(actionIds.formBack, 'Back', { spokenAfter: say` to project, session or link` }),
      ]),
    ],
  });
}

/** Returns "*Harbour Tower* · project 412-873-550", or "*Project 412-873-550*" without a name. */
function nameRecognized({ target, name }: Recognized): Phrase {
  const words = followedWords(target);
  return name === null ? [strong(inPlain(capital([words])))] : say`${item(name)} · ${plainly(words)}`;
}

/** Makes the option for something to follow in the first step's field. */
export function targetOption({ target, name }: Recognized, value: string): PlainTextOption {
  const words = followedWords(target);
  if (name === null) return option(value, inPlain(capital([words])));
  return option(value, inPlain(say`${plainly(cutEnd(name, 40))} · ${plainly(words)}`));
}

/** Makes the option that looks up what was typed. */
export function searchOption(text: string, value: string): PlainTextOption {
  return option(value, inPlain(say`Search for ${quoted(cutEnd(text, 50))}`));
}

/** Nothing that may be shown to this person has the name that was searched for. */
export function nothingFound(text: string): Phrase {
  return say`I couldn’t find ${quoted(cutEnd(text, 80))}. Paste its link, or its 9-digit id.`;
}

/** Several names match what was searched for. */
export function severalFound(names: readonly string[]): Phrase {
  const some = names.slice(0, 4).map((name) => [quoted(cutEnd(name, 40))]);
  return say`Several names match: ${joined(some, ', ')}. Choose one of them in the list.`;
}

/** The form was opened by an older release, or too long ago. */
export const formOutdated = notice`This form is out of date. Close it, and open it again.`;

/** What a subscription would have posted. */
export type Preview = {
  readonly kind: TargetKind;
  readonly settings: SubscriptionSettings;
  /** How many of the last events would have been posted, with the latest as messages; null if they cannot be looked up. */
  readonly history: {
    readonly of: number;
    readonly posted: number;
    /** What would have been posted as it happened, the oldest first, as in a channel. */
    readonly messages: readonly Message[];
    /** The digest of the others; null if there are none. */
    readonly digest: Message | null;
  } | null;
};

/** A placeholder while the preview is looked up, because Slack allows only three seconds to open it. */
export const previewLoading = viewOf([section([say`Looking up recent activity…`])]);

/** Shows the latest matching events as the form's settings would have posted them. */
export function previewView({ kind, settings, history }: Preview): ModalView {
  const title: Phrase = say`${describeSettings(settings)}.`;
  if (history === null)
    return viewOf([section([title, say`I can’t look up recent activity right now. Try again in a minute.`])]);
  const { messages, digest } = history;
  const divider: KnownBlock = { type: 'divider' };
  return viewOf([
    section([title, [shareOf(history, kind)]]),
    ...[
      ...messages.flatMap(({ blocks }) => [divider, ...stillOf(blocks)]),
      ...(digest === null ? [] : [divider, context([digestTitle]), ...stillOf(digest.blocks)]),
    ].slice(-mostBlocks),
  ]);
}

/** Replaces the preview with what must be corrected in the form first. */
export function previewFaults(faults: FormFaults): ModalView {
  return viewOf([section([say`Fix this first, then preview again:`, ...faultLines(faults)])]);
}

const digestTitle = 'What the next digest would look like:';

/** Leaves room for the title. The newest are shown. */
const mostBlocks = limits.viewBlocks - 10;

function viewOf(blocks: KnownBlock[]): ModalView {
  return modal({ callbackId: callbackIds.formPreview, title: 'Preview', close: 'Back', blocks });
}

function shareOf({ of, posted }: NonNullable<Preview['history']>, kind: TargetKind): string {
  const what = `this ${kind}`;
  if (of === 0) return 'No activity yet, so there’s nothing to preview.';
  if (of === 1) return `The last change to ${what} would ${posted === 0 ? 'not ' : ''}have been posted.`;
  const share = posted === 0 ? 'None' : posted === of ? 'All' : grouped(posted);
  return `${share} of the last ${counted(of, 'change')} to ${what} would have been posted.`;
}

const inForms: ReadonlySet<string> = new Set(['section', 'context', 'divider', 'header', 'rich_text']);

/** Removes what a form cannot show from a message: its buttons, menus and tables. */
function stillOf(blocks: readonly KnownBlock[]): KnownBlock[] {
  return blocks
    .filter(({ type }) => inForms.has(type))
    .map((block) => {
      const { block_id: _id, ...still } = block;
      if (still.type !== 'section') return still;
      const { accessory: _menu, ...section } = still;
      return section;
    });
}
