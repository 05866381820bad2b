import type { KnownBlock, ModalView } from '@slack/types';
import { type FileRow, type FileVerdict, ownDirectMessage } from '../../core/model/subscription-file.ts';
import { actionIds, blockIds, callbackIds } from '../text/action-ids.ts';
import { describeTarget } from '../text/copy.ts';
import { grouped } from '../text/grouped.ts';
import { input, textField } from '../text/input.ts';
import { actions, button, context, type Message, messageOf, notice, section } from '../text/message.ts';
import { modal } from '../text/modal.ts';
import { andMore, channel, counted, type Phrase, say } from '../text/phrase.ts';
import { planSummary, verdictWords } from './file-words.ts';

/** A subscription in a file. `said` is the answer if it could not be added: the text of a message, already escaped. */
type ImportLine = Pick<FileRow, 'channelId' | 'request'> & { readonly said?: string | undefined };

/** What is shown for a row whose import failed because of a bug or an outage. */
export const rowFailed = 'An error in Plancast.';

/** How many lines a message lists; the rest are counted. */
const linesShown = 20;

/** Asks an owner, in a direct message, whether to add what an operator imported in their name. `value` is the value of both buttons. */
export function importOffer(rows: readonly ImportLine[], value: string): Message {
  const all = counted(rows.length, 'subscription');
  return messageOf({
    lines: [
      say`Your Plancast admin imported ${all} for you. Add ${rows.length === 1 ? 'it' : 'them'} with your account?`,
      ...listOf(rows),
    ],
    small: [say`Nothing is posted until you agree.`],
    buttons: [
      button(actionIds.importAccept, rows.length === 1 ? 'Add' : `Add all ${grouped(rows.length)}`, {
        value,
        style: 'primary',
        spokenAfter: [rows.length === 1 ? ' 1 subscription' : ' subscriptions'],
      }),
      button(actionIds.importDecline, 'Decline', { value }),
    ],
  });
}

/**
 * The result of an import that its owner accepted. `retryValue` is the value of the button that tries again what was not added; null if
 * nothing of that can succeed.
 */
export function importAccepted(
  done: number,
  failed: readonly ImportLine[],
  retryValue: string | null,
): Message {
  const were = failed.length === 1 ? 'wasn’t' : 'weren’t';
  const missing: Phrase[] =
    failed.length === 0
      ? []
      : [say`${counted(failed.length, 'subscription')} ${were} added:`, ...listOf(failed)];
  const added = done === 0 ? 'Nothing was added.' : `Added ${counted(done, 'subscription')}.`;
  return messageOf({
    lines: [(done > 0 || failed.length === 0) && [added], ...missing],
    buttons: retryValue === null ? [] : [button(actionIds.importAccept, 'Try again', { value: retryValue })],
  });
}

/** The owner has accepted an import that is still being added. */
export const importUnderway = notice`This is already in progress. If nothing appears within a minute, press the button again.`;

/** The owner declined an import. */
export const importDeclined = notice`Declined. Nothing was added.`;

function listOf(rows: readonly ImportLine[]): Phrase[] {
  return [...rows.slice(0, linesShown).map(lineOf), ...andMore(rows.length - linesShown)];
}

function lineOf({ channelId, request, said }: ImportLine): Phrase {
  const { target, comprehensive, name = null } = request;
  const where: Phrase = channelId === ownDirectMessage ? say`this direct message` : [channel(channelId)];
  const why: Phrase = said === undefined ? [] : [': ', said.split('\n', 1)[0] ?? ''];
  return say`• ${where}: ${describeTarget({ target, comprehensive, name })}${why}`;
}

/** Text fields of the form, each with the maximum length that Slack allows. Together they fit the output of one `/plancast export`. */
export const importFields = [
  blockIds.importText,
  blockIds.importText2,
  blockIds.importText3,
  blockIds.importText4,
] as const;

/** What the form shows above its fields: nothing yet, that the text is being checked, or what an import would do. */
export type ImportStage =
  | { readonly kind: 'empty' | 'checking' }
  | { readonly kind: 'checked'; readonly verdicts: readonly FileVerdict[] };

/** Makes the import form. The first submission checks the text; submitting the checked text again imports it. */
export function importForm(form: {
  readonly stage: ImportStage;
  /** How many fields are shown, at least 1. */
  readonly fields: number;
  readonly metadata: string;
}): ModalView {
  const { stage, fields, metadata } = form;
  const count = stage.kind === 'checked' ? importable(stage.verdicts) : 0;
  return modal({
    callbackId: callbackIds.importFile,
    metadata,
    title: 'Import subscriptions',
    submit: count === 0 ? 'Check' : `Import ${grouped(count)}`,
    blocks: [
      ...stageBlocks(stage),
      ...importFields.slice(0, fields).map((blockId, index) =>
        input(blockId, {
          label: index === 0 ? 'Subscriptions' : `Subscriptions, part ${index + 1}`,
          optional: index > 0,
          element: textField({ multiline: true }),
          hint:
            index === 0
              ? 'Paste what /plancast export shows, each block in its own field. Everything you import belongs to you.'
              : undefined,
        }),
      ),
      ...(fields < importFields.length
        ? [actions([button(actionIds.importMore, 'Add a field', { spokenAfter: say` for more text` })])]
        : []),
    ],
  });
}

/** Counts the lines that would be imported. */
export function importable(verdicts: readonly FileVerdict[]): number {
  return verdicts.filter(({ kind }) => kind === 'add' || kind === 'change').length;
}

function stageBlocks(stage: ImportStage): KnownBlock[] {
  switch (stage.kind) {
    case 'empty':
      return [];
    case 'checking':
      return [section([say`Checking…`])];
    case 'checked': {
      const { verdicts } = stage;
      const refused = verdicts.filter(({ kind }) => kind === 'refused');
      const others = verdicts.filter(({ kind }) => kind !== 'refused');
      return [
        section([planSummary(verdicts)]),
        ...paragraphs(refused),
        ...paragraphs(others),
        context([
          importable(verdicts) === 0
            ? 'Correct the text below and check again.'
            : 'Nothing has changed yet. If you edit the text, I’ll check it again first.',
        ]),
        { type: 'divider' },
      ];
    }
  }
}

/** Puts each verdict on a line of its own, a few per block; the rest are counted. */
function paragraphs(verdicts: readonly FileVerdict[]): KnownBlock[] {
  const shown = verdicts.slice(0, 2 * linesShown).map(verdictWords);
  const blocks: KnownBlock[] = Array.from({ length: Math.ceil(shown.length / 5) }, (_, index) =>
    section(shown.slice(index * 5, index * 5 + 5)),
  );
  return [...blocks, ...andMore(verdicts.length - 2 * linesShown, 'line').map(context)];
}

/** Offers a button that opens the form, because the trigger of the command has expired. */
export const importReady = messageOf({
  lines: [say`Ready to import subscriptions into this workspace.`],
  buttons: [button(actionIds.importOpen, 'Open the form', { style: 'primary' })],
});

/** Returns the errors of the form, by block (Slack: response_action "errors"). */
export function importErrors(refusal?: Message): Record<string, string> {
  return { [blockIds.importText]: refusal?.text ?? 'Paste what you want to import.' };
}

/** The result of an import from the form. `failed` has the line and the answer of each subscription that failed. */
export function importDone(
  done: number,
  failed: readonly { readonly line: number; readonly said: string }[],
): Message {
  const shown = failed.slice(0, linesShown);
  return messageOf({
    lines: [
      [
        done === 0
          ? 'Nothing was imported.'
          : `Imported ${counted(done, 'subscription')}. ${done === 1 ? 'It belongs' : 'They belong'} to you.`,
      ],
      ...shown.map(({ line, said }): Phrase => [`Line ${line}: `, said.split('\n', 1)[0] ?? '']),
      ...andMore(failed.length - linesShown),
    ],
  });
}

/** An import has started that takes a while. */
export function importBegun(count: number): Message {
  return notice`Importing ${counted(count, 'subscription')}. I’ll let you know here when it’s done.`;
}
