import type { KnownBlock, ModalView } from '@slack/types';
import type { TargetKind } from '../../core/model/subscription.ts';
import { describeSettings, type SubscriptionSettings } from '../text/copy.ts';
import { limits } from '../text/limits.ts';
import { context, type Message, section } from '../text/message.ts';
import { callbackIds, type FormFaults, modal } from '../text/modal.ts';
import { counted, grouped, type Phrase, say } from '../text/phrase.ts';
import { faultLines } from './form-fields.ts';

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
