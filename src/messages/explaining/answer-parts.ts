import type { Button, KnownBlock } from '@slack/types';
import type { Copy } from '../text/copy.ts';
import { charactersOf, fitInto, howManyFit, limits } from '../text/limits.ts';
import { type Message, mrkdwn, type Optional, present, section } from '../text/message.ts';
import { andMore, inMrkdwn, inText, type Phrase, say, strong } from '../text/phrase.ts';
import { describeFinding, type Finding, type Said, type Verdict } from './findings.ts';

/** A part of a message, as blocks and as lines of its text. Its blocks are shown or left out together. */
type AnswerPart = { readonly texts: readonly string[]; readonly blocks: readonly KnownBlock[] };

const headCharacters = 600;
/** Slack's markup for a date alone takes about 80 characters. The maximum number of such lines still fits into a section. */
const lineCharacters = 340;
/** The maximum length of a finding; a page of findings of that length still fits into a message. */
const findingCharacters = 420;
const textCharacters = 3_000;

/** Makes a part of a sentence and a list below it; `long`: whether its lines may be as long as the sentence. */
export function paragraph(
  head: Phrase,
  lines: readonly Phrase[] = [],
  { long = false, accessory }: { readonly long?: boolean; readonly accessory?: Button | undefined } = {},
): AnswerPart {
  const cut = (write: (phrase: Phrase, max: number) => string) => [
    write(head, headCharacters),
    ...lines.map((line) => write(line, long ? headCharacters : lineCharacters)),
  ];
  const text = mrkdwn(fitInto(cut(inMrkdwn), { max: limits.sectionText, joint: '\n' }));
  return {
    texts: cut(inText),
    blocks: [accessory === undefined ? { type: 'section', text } : { type: 'section', text, accessory }],
  };
}

const labels: Record<Verdict, string> = { ok: 'OK', 'not ok': 'Problem', note: 'Note' };

/** Makes a part of one line per finding. Findings without a button share a block; any other has a block with its button. */
export function findingsPart(findings: readonly Finding[], copy: Copy): AnswerPart {
  const said = findings.map((finding) => describeFinding(finding, copy));
  const blocks: KnownBlock[] = [];
  let lines: string[] = [];
  const close = () => {
    const text = fitInto(lines, { max: limits.sectionText, joint: '\n' });
    if (lines.length > 0) blocks.push({ type: 'section', text: mrkdwn(text) });
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
  const texts = said.map((each) => inText(lineOf(each, [labels[each.verdict]]), findingCharacters));
  return { texts, blocks };
}

function lineOf({ words, remedy }: Said, label: Phrase): Phrase {
  return say`${label}: ${words}${remedy === undefined ? [] : say` ${remedy}`}`;
}

/** Makes one part of two. */
export function together(head: AnswerPart, below: AnswerPart): AnswerPart {
  return { texts: [...head.texts, ...below.texts], blocks: [...head.blocks, ...below.blocks] };
}

/**
 * Makes a message of as many parts as fit within Slack's limits beside `tail`; the others are counted. Names whose characters must be escaped
 * are several times longer than they look.
 */
export function messageFrom(
  wanted: readonly Optional<AnswerPart>[],
  tail: readonly KnownBlock[] = [],
): Message {
  const parts = present(wanted);
  const shown = parts.filter(({ blocks }) => blocks.length > 0);
  const note = { characters: 60, blocks: 1 };
  const byCharacters = howManyFit(
    shown.map(({ blocks }) => charactersOf(blocks)),
    limits.messageCharacters - textCharacters - charactersOf(tail),
    note.characters,
  );
  const byBlocks = howManyFit(
    shown.map(({ blocks }) => blocks.length),
    limits.messageBlocks - tail.length,
    note.blocks,
  );
  const taken = Math.min(byCharacters, byBlocks);
  const texts = parts.flatMap((part) => part.texts);
  return {
    text: fitInto(texts, { max: textCharacters, joint: '\n', noun: 'lines' }),
    blocks: [
      ...shown.slice(0, taken).flatMap(({ blocks }) => blocks),
      ...andMore(shown.length - taken, 'paragraph').map((line) => section([line])),
      ...tail,
    ],
  };
}
