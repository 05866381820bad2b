import type { KnownBlock, ModalView, RichTextBlock } from '@slack/types';
import { typedLine } from '../../core/model/format-request.ts';
import type { Mistake, SubscribeRequest } from '../../core/model/request.ts';
import type { Target } from '../../core/model/subscription.ts';
import { defaultNames } from '../../core/model/verbs.ts';
import { describeFault, describeTarget } from '../text/copy.ts';
import {
  context,
  type Message,
  messageOf,
  notice,
  present,
  requestButton,
  section,
} from '../text/message.ts';
import { actionIds, callbackIds, input, modal, textField } from '../text/modal.ts';
import { andMore, channel, counted, grouped, type Phrase, plainly, say, typed } from '../text/phrase.ts';

/** Why a line of an import is refused, for what this file has the words. */
export const importFaults = {
  noSubscription: say`only subscriptions can be imported. Type other commands yourself.`,
  personal: say`subscriptions for yourself can’t be imported. Type this one in any channel.`,
  /** There is no channel above it, or that one was refused. */
  noChannel: say`it needs a line with a channel you’re in above it, like ${typed('#plans')}.`,
  channelsUnknown: say`I couldn’t get your channels from Slack. Try again in a minute.`,
  /** There was no time to read it. */
  tooMuch: say`this line and the ones below it are too many for one import. Import them separately.`,
  sharedChannel: say`the settings don’t allow subscriptions in channels shared with other organizations.`,
  anotherScope: say`this would change the scope of another member’s subscription. Type it in the channel instead.`,
  kindUnknown: (id: string) =>
    say`${plainly(id)} could be a project or a session. Write ${typed(`project ${id}`)} or ${typed(`session ${id}`)}.`,
  notInChannel: (named: string) =>
    say`you aren’t in ${plainly(named)}, or it’s private and I’m not. Join it and invite me first.`,
  severalChannels: (named: string) =>
    say`several of your channels are called ${plainly(named)}. Use the channel’s id, like ${typed('C0123ABCD')}.`,
  twice: (firstLine: number) =>
    say`this is the same channel and resource as in line ${firstLine}. Keep one of them.`,
  cannotPost: (channelId: string) =>
    say`I can’t post in ${channel(channelId)}. Check that I’m in it and allowed to post, and that it isn’t archived.`,
  mistake: ({ understood, leftOut, faults: [fault] }: Mistake): Phrase => {
    if (fault) return say`${describeFault(fault)}.`;
    if (understood === null) return say`it needs one link, id or name of a project or session.`;
    const line = typed(typedLine(understood, defaultNames));
    return leftOut === '' ? say`write ${line}.` : say`${typed(leftOut)} doesn’t belong there. Write ${line}.`;
  },
} as const;

/** A line that asks for a subscription. `line` counts from 1. */
type WantedLine = {
  readonly line: number;
  readonly kind: 'add' | 'change' | 'same';
  readonly channelId: string;
  readonly request: SubscribeRequest & { readonly target: Target };
  /** Of what it subscribes to; null if none is known. */
  readonly name: string | null;
};

/** What importing a line would do. */
export type ImportVerdict =
  | WantedLine
  | { readonly line: number; readonly kind: 'refused'; readonly fault: Phrase };

/** Returns the lines that would be imported. */
export function importable(verdicts: readonly ImportVerdict[]): readonly WantedLine[] {
  return verdicts.flatMap((each) => (each.kind === 'add' || each.kind === 'change' ? each : []));
}

/** What is shown for a line whose import failed because of a bug or an outage. */
export const lineFailed = 'An error in Plancast.';

/** How many lines a message lists; the rest are counted. */
const linesShown = 20;

/** What the form shows above its field: nothing yet, that the text is being checked, or what an import would do. */
export type ImportStage = null | 'checking' | readonly ImportVerdict[];

/** Makes the import form. The first submission checks the text; submitting the checked text again imports it. */
export function importForm(stage: ImportStage, metadata: string): ModalView {
  const count = stage === null || stage === 'checking' ? 0 : importable(stage).length;
  return modal({
    callbackId: callbackIds.importFile,
    metadata,
    title: 'Import subscriptions',
    submit: count === 0 ? 'Check' : `Import ${grouped(count)}`,
    blocks: [
      ...stageBlocks(stage, count),
      input(actionIds.importText, {
        label: 'Subscriptions',
        element: textField({ multiline: true }),
        hint: 'Paste a block from /plancast export, or type your own: a channel, then its subscriptions below it.',
      }),
    ],
  });
}

function stageBlocks(stage: ImportStage, count: number): KnownBlock[] {
  if (stage === null) return [];
  if (stage === 'checking') return [section([say`Checking…`])];
  return [
    section([summary(stage)]),
    ...paragraphs(stage.filter(({ kind }) => kind === 'refused')),
    ...paragraphs(stage.filter(({ kind }) => kind !== 'refused')),
    context([
      count === 0
        ? 'Correct the text below and check again.'
        : 'Nothing has changed yet. New subscriptions will use your account. If you edit the text, I’ll check it again first.',
    ]),
    { type: 'divider' },
  ];
}

/** Summarizes what an import would do: "Adds 12 subscriptions and changes 2. 3 are already there. 1 line can’t be imported." */
function summary(verdicts: readonly ImportVerdict[]): Phrase {
  const count = (kind: ImportVerdict['kind']) => verdicts.filter((verdict) => verdict.kind === kind).length;
  const [adds, changes, same, refused] = [count('add'), count('change'), count('same'), count('refused')];
  const parts = present([
    adds + changes === 0 && 'Nothing to import.',
    adds === 0 && changes > 0 && `Changes ${counted(changes, 'subscription')}.`,
    adds > 0 &&
      `Adds ${counted(adds, 'subscription')}${changes === 0 ? '' : ` and changes ${grouped(changes)}`}.`,
    same > 0 && `${grouped(same)} ${same === 1 ? 'is' : 'are'} already there.`,
    refused > 0 && `${counted(refused, 'line')} can’t be imported.`,
  ]);
  return [parts.join(' ')];
}

/** Puts each verdict on a line of its own, a few per block; the rest are counted. */
function paragraphs(verdicts: readonly ImportVerdict[]): KnownBlock[] {
  const shown = verdicts.slice(0, 2 * linesShown).map(verdictWords);
  const blocks: KnownBlock[] = Array.from({ length: Math.ceil(shown.length / 5) }, (_, index) =>
    section(shown.slice(index * 5, index * 5 + 5)),
  );
  return [...blocks, ...andMore(verdicts.length - 2 * linesShown, 'line').map(context)];
}

/** Says what importing a line would do: "Line 4: adds project 412-873-550 and its contents to #plans". */
function verdictWords(verdict: ImportVerdict): Phrase {
  if (verdict.kind === 'refused') return say`Line ${verdict.line}: ${verdict.fault}`;
  const { line, kind, channelId, request, name } = verdict;
  const what = describeTarget({ ...request, name });
  const there = channel(channelId);
  if (kind === 'same') return say`Line ${line}: ${there} already has ${what}`;
  return say`Line ${line}: ${kind === 'add' ? 'adds' : 'changes'} ${what} ${kind === 'add' ? 'to' : 'in'} ${there}`;
}

/** Offers a button that opens the form, because the trigger of the command has expired. */
export const importReady = messageOf({
  lines: [say`Ready to import subscriptions into this workspace.`],
  buttons: [requestButton('Open the form', { act: 'import' }, { style: 'primary' })],
});

/** Returns the errors of the form, by block (Slack: response_action "errors"). */
export function importErrors(refusal?: Message): Record<string, string> {
  return { [actionIds.importText]: refusal?.text ?? 'Paste what you want to import.' };
}

/** What was entered is a file of an earlier release. */
export const oldFile = notice`This file is from an earlier release. Type /plancast export to get the subscriptions as lines, and paste those.`;

/** The result of an import. `failed` has the line and the answer of each subscription that failed. */
export function importDone(
  done: number,
  failed: readonly { readonly line: number; readonly said: string }[],
): Message {
  const shown = failed.slice(0, linesShown);
  return messageOf({
    lines: [
      [done === 0 ? 'Nothing was imported.' : `Imported ${counted(done, 'subscription')}.`],
      ...shown.map(({ line, said }): Phrase => [`Line ${line}: `, said.split('\n', 1)[0] ?? '']),
      ...andMore(failed.length - linesShown),
    ],
  });
}

/**
 * Shows subscriptions as lines to copy, in blocks that can each be imported by itself. `count` of all `of` subscriptions are in it, `tooLong` fit
 * in no block; `isShort`: whether filters of shared channels are shortened.
 */
export function exportedLines(exported: {
  readonly parts: readonly string[];
  readonly count: number;
  readonly tooLong: number;
  readonly of: number;
  readonly isShort: boolean;
}): Message {
  const { parts, count, tooLong, of, isShort } = exported;
  const more = of - count - tooLong;
  const lead: Phrase = say`${counted(count, 'subscription')} in channels you’re in, as lines for \`/plancast import\`.`;
  const { text, blocks } = messageOf({
    lines: [lead],
    small: [
      more > 0 &&
        say`${counted(more, 'subscription')} didn’t fit. Type \`/plancast export\` in a channel to get its subscriptions first.`,
      tooLong > 0 &&
        say`Not listed, because the filters are too long for a block that can be imported: ${counted(tooLong, 'subscription')}.`,
      isShort &&
        say`Paths and people are shortened in channels shared with another organization, and can’t be imported like that. Show everything there, then export again.`,
    ],
  });
  return { text, blocks: [...blocks.slice(0, 1), ...parts.map(preformatted), ...blocks.slice(1)] };
}

/** There are no subscriptions that this person may export. */
export const nothingToExport = notice`There are no subscriptions in the channels you’re in.`;

/** Slack does not say which channels the person is in. */
export const channelsUnknown = notice`I couldn’t get your channels from Slack. Try again in a minute.`;

function preformatted(text: string): RichTextBlock {
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text }] }],
  };
}
