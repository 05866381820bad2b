import { expect, test } from 'vitest';
import { limits } from '../../../src/messages/text/limits.ts';
import {
  capital,
  channel,
  clock,
  counted,
  day,
  forEye,
  inMrkdwn,
  inPlain,
  inText,
  item,
  joined,
  link,
  type Phrase,
  person,
  place,
  plainly,
  quoted,
  say,
  sentence,
  strong,
  time,
  typed,
} from '../../../src/messages/text/phrase.ts';

const name = '<a>`www.x.io';
const at = new Date('2026-03-05T07:09:00Z');
const seconds = at.getTime() / 1000;
/** The address is broken up where Slack would make a link of it; in a block, Slack makes none. */
const inBlock = '&lt;a&gt;ˋwww.x.io';
const spoken = '&lt;a&gt;ˋwww.\u200Bx.io';

test.each<[string, Phrase[number], string, string, string]>([
  ['a person', person(name), `*${inBlock}*`, spoken, name],
  ['a big name', strong(name), `*${inBlock}*`, spoken, name],
  ['a file', item(name), `\`${inBlock}\``, `“${spoken}”`, `“${name}”`],
  ['a quotation', quoted(name), `“${inBlock}”`, `“${spoken}”`, `“${name}”`],
  ['a text', plainly(name), inBlock, spoken, name],
  ['a sentence', sentence(name), inBlock, spoken, name],
  ['words to type', typed(name), `\`${inBlock}\``, `\`${inBlock}\``, name],
  ['a folder', place([name, 'b']), `${inBlock} › b`, `${spoken} › b`, `${name} › b`],
  ['a sign', forEye('→', 'to'), '→', 'to', 'to'],
  ['a channel', channel('C12AB'), '<#C12AB>', '<#C12AB>', 'the channel'],
  [
    'a moment',
    time(at),
    `<!date^${seconds}^{date_short_pretty} at {time}|5 Mar 2026, 07:09 UTC>`,
    `<!date^${seconds}^{date_short_pretty} at {time}|5 Mar 2026, 07:09 UTC>`,
    '5 Mar 2026, 07:09 UTC',
  ],
  [
    'a time of day',
    clock(at),
    `<!date^${seconds}^{time}|07:09 UTC>`,
    `<!date^${seconds}^{time}|07:09 UTC>`,
    '07:09 UTC',
  ],
  [
    'a day',
    day(at),
    `<!date^${seconds}^{date_short}|5 Mar 2026>`,
    `<!date^${seconds}^{date_short}|5 Mar 2026>`,
    '5 Mar 2026',
  ],
])('%s is escaped for the place it is shown in', (_, piece, block, text, plain) => {
  expect([inMrkdwn([piece]), inText([piece]), inPlain([piece])]).toEqual([block, text, plain]);
});

test('neither the address nor the label of a link can end it early', () => {
  const phrase = [link('a|b>c', 'https://x.example/a|b<c>d e?f&g')];
  expect(inMrkdwn(phrase)).toBe('<https://x.example/a%7Cb%3Cc%3Ed%20e?f&amp;g|a¦b&gt;c>');
  expect(inText(phrase)).toBe('“a|b&gt;c”');
  expect(inPlain(phrase)).toBe('“a|b>c”');
});

test('an address that is too long for Slack is not linked', () => {
  const longest = `https://x.example/${'a'.repeat(limits.linkUrl - 'https://x.example/'.length)}`;
  expect(inMrkdwn([link('Plan', longest)])).toBe(`<${longest}|Plan>`);
  expect(inMrkdwn([link('Plan', `${longest}a`)])).toBe('*Plan*');
});

test.each(['<!channel>', 'C1|x', 'C', 'c12', 'xC12', 'C12x', `C${'1'.repeat(30)}`])(
  'the channel id “%s” is not from Slack and links nothing',
  (id) => {
    expect(inMrkdwn([channel(id)])).toBe('another channel');
  },
);

test('direct messages have no link', () => {
  expect(inMrkdwn([channel('D12AB')])).toBe('your direct messages with me');
  expect(inMrkdwn([channel(`C${'1'.repeat(29)}`)])).toBe(`<#C${'1'.repeat(29)}>`);
});

test.each([
  [Number.NaN, 'at an unknown time'],
  [0, '1 Jan 1970, 00:00 UTC'],
  [-1, '31 Dec 1969, 23:59 UTC'],
  [10_000_000_000_000, '20 Nov 2286, 17:46 UTC'],
])('the moment %d is written out, as Slack shows none there', (moment, shown) => {
  expect(inMrkdwn([time(new Date(moment))])).toBe(shown);
});

test('the first second and the last that Slack shows are shown by Slack', () => {
  expect(inMrkdwn([clock(new Date(1_999))])).toBe('<!date^1^{time}|00:00 UTC>');
  expect(inMrkdwn([clock(new Date(9_999_999_999_999))])).toBe('<!date^9999999999^{time}|17:46 UTC>');
});

test('a moment shows its day and its time', () => {
  expect(inMrkdwn([time(at)])).toContain('^{date_short_pretty} at {time}|');
});

test('a sentence and words to type may be longer than a name', () => {
  const long = 'x'.repeat(limits.name + 1);
  for (const write of [inMrkdwn, inText, inPlain]) {
    expect(write([sentence(long), typed(long)]).match(/x+/g)).toEqual(
      write === inPlain ? [long + long] : [long, long],
    );
    expect(write([plainly(long)])).toContain('…');
  }
});

test('phrases are joined as a list is spoken', () => {
  expect(inPlain(joined([['a'], ['b'], ['c']], ', ', ' and '))).toBe('a, b and c');
  expect(inPlain(joined([['a'], ['b']], ', '))).toBe('a, b');
  expect(inPlain(joined([['a']], ', ', ' and '))).toBe('a');
});

test('a phrase begins with a capital letter, but a name stays as it is', () => {
  expect(inPlain(capital(['by ', person('dana')]))).toBe('By dana');
  expect(inPlain(capital([person('dana'), ' did'])).slice(0, 4)).toBe('dana');
});

test('what is counted has its plural and its commas', () => {
  expect([counted(1, 'file'), counted(1_000, 'file'), counted(0, 'entry', 'entries')]).toEqual([
    '1 file',
    '1,000 files',
    '0 entries',
  ]);
});

test('what fits exactly is not cut, and what does not is cut between two pieces', () => {
  const phrase = [plainly('aaaa'), plainly('bbbb'), plainly('cccc')];
  for (const write of [inMrkdwn, inText, inPlain]) {
    expect(write(phrase, 12)).toBe('aaaabbbbcccc');
    expect(write(phrase, 11)).toBe('aaaabbbb…');
    expect(write(phrase, 8)).toBe('aaaa…');
  }
});

test('a sentence is written with its values where they stand, and what is said by a phrase stays its own pieces', () => {
  const who: Phrase = [person('Dana'), '’s'];
  const parts = say`${who} ${12_000} files${[]} in ${place(['Plans'])} are ${'new'}.`;
  expect(parts).toEqual([person('Dana'), '’s', ' 12,000 files', ' in ', place(['Plans']), ' are new.']);
});

test('a text from outside cannot slip into a sentence unescaped', () => {
  const outside: string = name;
  // @ts-expect-error: the compiler refuses a bare string that is not in the code
  expect(say`Deleted ${outside}`).toEqual([`Deleted ${name}`]);
  // @ts-expect-error: nor a template that contains one
  expect(say`Deleted ${`the file ${outside}`}`).toEqual([`Deleted the file ${name}`]);
  expect(inMrkdwn(say`Deleted ${plainly(outside)}`)).toBe(`Deleted ${inBlock}`);
});
