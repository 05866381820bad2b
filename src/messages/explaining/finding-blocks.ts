import type { KnownBlock } from '@slack/types';
import { charactersOf, fitInto, howManyFit, limits } from '../text/limits.ts';
import { mrkdwn, section } from '../text/message.ts';
import { andMore, inMrkdwn, inText, type Phrase, say, strong } from '../text/phrase.ts';
import type { Said, Verdict } from './findings.ts';

const labels: Record<Verdict, string> = { ok: 'OK', 'not ok': 'Problem', note: 'Note' };

/** The maximum length of a finding; a page of findings of that length still fits into a message. */
const findingCharacters = 420;

/** Renders one line per finding. Findings without a button share a block; any other has a block with its button. */
export function blocksOf(said: readonly Said[]): KnownBlock[] {
  const blocks: KnownBlock[] = [];
  let lines: string[] = [];
  const close = () => {
    if (lines.length > 0)
      blocks.push({
        type: 'section',
        text: mrkdwn(fitInto(lines, { max: limits.sectionText, joint: '\n' })),
      });
    lines = [];
  };
  for (const each of said) {
    const line = inMrkdwn(lineOf(each, [strong(labels[each.verdict])]), findingCharacters);
    if (each.button === undefined) lines.push(line);
    else {
      close();
      blocks.push({ type: 'section', text: mrkdwn(line), accessory: each.button });
    }
  }
  close();
  return blocks;
}

/** Renders the findings as lines of text. */
export function textsOf(said: readonly Said[]): string[] {
  return said.map((each) => inText(lineOf(each, [labels[each.verdict]]), findingCharacters));
}

function lineOf({ words, remedy }: Said, label: Phrase): Phrase {
  return say`${label}: ${words}${remedy === undefined ? [] : say` ${remedy}`}`;
}

/**
 * Returns as many parts of a message as fit within Slack's limits, `beside` the rest of the message; the others are counted. Names whose
 * characters must be escaped are several times longer than they look.
 */
export function whatFits(
  parts: readonly (readonly KnownBlock[])[],
  beside: { readonly characters: number; readonly blocks: number },
): KnownBlock[] {
  const note = { characters: 60, blocks: 1 };
  const byCharacters = howManyFit(
    parts.map((blocks) => charactersOf(blocks)),
    limits.messageCharacters - beside.characters,
    note.characters,
  );
  const byBlocks = howManyFit(
    parts.map((blocks) => blocks.length),
    limits.messageBlocks - beside.blocks,
    note.blocks,
  );
  const taken = Math.min(byCharacters, byBlocks);
  const rest = parts.length - taken;
  const remark = andMore(rest, 'paragraph').map((line) => section([line]));
  return [...parts.slice(0, taken).flat(), ...remark];
}
