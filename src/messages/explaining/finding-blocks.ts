import type { KnownBlock } from '@slack/types';
import { charactersOf, fitInto, howManyFit, limits } from '../text/limits.ts';
import { mrkdwn } from '../text/message.ts';
import { counted, inMrkdwn, inText, type Phrase, strong } from '../text/phrase.ts';
import type { Said, Verdict } from './findings.ts';

const labels: Record<Verdict, string> = { ok: 'OK', 'not ok': 'Problem', note: 'Note' };

/** Maximum characters of one finding; a page of the longest still fits into a message. */
const findingCharacters = 420;

/** One line per finding: those without a button share a block, each other one has its button beside it. */
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
    const line = inMrkdwn(lineOf(each, strong), findingCharacters);
    if (each.button === undefined) lines.push(line);
    else {
      close();
      blocks.push({ type: 'section', text: mrkdwn(line), accessory: each.button });
    }
  }
  close();
  return blocks;
}

/** The same as lines of text. */
export function textsOf(said: readonly Said[]): string[] {
  return said.map((each) =>
    inText(
      lineOf(each, (label) => label),
      findingCharacters,
    ),
  );
}

function lineOf({ verdict, words, remedy }: Said, label: (text: string) => Phrase[number]): Phrase {
  return [label(labels[verdict]), ': ', ...words, ...(remedy === undefined ? [] : [' ', ...remedy])];
}

/**
 * As many parts of a message as Slack takes `beside` what else is in it; the rest is counted. Names made of characters that have to be
 * escaped are several times longer than they look.
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
  const remark: KnownBlock[] =
    rest === 0
      ? []
      : [{ type: 'section', text: mrkdwn(inMrkdwn([`… and ${counted(rest, 'more paragraph')}`])) }];
  return [...parts.slice(0, taken).flat(), ...remark];
}
