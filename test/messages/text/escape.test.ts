import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  clean,
  code,
  cutEnd,
  escapeForMrkdwn,
  escapeForText,
  joinPath,
  plain,
} from '../../../src/messages/text/escape.ts';
import { limits } from '../../../src/messages/text/limits.ts';
import { manyRuns } from '../../support/many-runs.ts';
import { asSlackShows, bareAmpersandsIn, markupIn, unseenIn } from '../as-slack-reads.ts';
import { anyText } from '../nasty.ts';

const runs = { numRuns: manyRuns(700) };
const ways = { escapeForMrkdwn, escapeForText, code };

describe.for(Object.entries(ways))('%s', ([, write]) => {
  test.for([
    '<!channel>',
    '<!here>',
    '<!everyone>',
    '<@U1>',
    '<#C1>',
    '<!subteam^S1>',
    '<!date^0^{date}|x>',
    '<https://evil.example|https://good.example>',
    'evil>|<',
  ])('a file called %s mentions nobody and links nothing', (name) => {
    expect(markupIn(write(name))).toEqual([]);
    expect(asSlackShows(write(name))).toContain(name);
  });

  test('a name that was already escaped is shown as it was written', () => {
    expect(write('&lt;!channel&gt;')).toContain('&amp;lt;!channel&amp;gt;');
  });

  test('a name with a bidirectional character shows a marker instead', () => {
    expect(write('invoice\u202Efdp.exe')).toContain('invoice\uFFFDfdp.exe');
  });

  test('invisible characters, tags and stacks of combining marks are removed', () => {
    expect(write('a\u200B\u200D\u00AD\u{E0041}b')).toContain('ab');
    expect(write(`e${'\u0301'.repeat(50)}`)).toContain(`e${'\u0301'.repeat(4)}`);
    expect(write(`e${'\u0301'.repeat(50)}`)).not.toContain('\u0301'.repeat(5));
  });

  test('a name of 200 kB is cut at 120 characters with an ellipsis', () => {
    const written = asSlackShows(write('x'.repeat(200_000))).replaceAll('`', '');
    expect(written).toBe(`${'x'.repeat(119)}…`);
  });

  test('a name of 120 ampersands still fits into its share of a section', () => {
    expect(write('&'.repeat(120)).length).toBeLessThanOrEqual(limits.nameEscaped + 2);
  });

  test('a cut never leaves half a surrogate pair', () => {
    const written = write(`${'x'.repeat(118)}😀😀`);
    expect(written.isWellFormed()).toBe(true);
    expect(written).toContain('…');
  });

  test('no part of any name is markup, invisible or too long', () => {
    fc.assert(
      fc.property(anyText, (name) => {
        const written = write(name);
        expect(markupIn(written)).toEqual([]);
        expect(bareAmpersandsIn(written)).toEqual([]);
        expect(unseenIn(written)).toEqual([]);
        expect(written.isWellFormed()).toBe(true);
        expect(written.includes('\n')).toBe(false);
        expect(written.length).toBeLessThanOrEqual(limits.nameEscaped + 2);
      }),
      runs,
    );
  });

  test('escaping what a reader sees shows the same again', () => {
    const seen = (text: string) => asSlackShows(text).replace(/^`|`$/g, '');
    fc.assert(
      fc.property(anyText, (name) => {
        const once = seen(write(name));
        expect(seen(write(once))).toBe(once);
      }),
      runs,
    );
  });

  test('a path of any folders stays within its limit', () => {
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 20 }), (folders) => {
        const written = write(folders);
        expect(markupIn(written)).toEqual([]);
        expect(unseenIn(written)).toEqual([]);
        expect(asSlackShows(written).length).toBeLessThanOrEqual(limits.path + 2);
        expect(written.length).toBeLessThanOrEqual(limits.pathEscaped + 2);
      }),
      runs,
    );
  });
});

test.for([
  ['a\u202E\u2066b', 'a\uFFFDb'],
  ['a\u0001\u0002b', 'a\uFFFDb'],
  ['a \t\u0085\n b', 'a b'],
  [`e${'\u0301'.repeat(6)}x y`, `e${'\u0301'.repeat(4)}x y`],
] as const)(
  '%j is cleaned to %j: one marker, one space, four marks, and nothing else is removed',
  ([from, to]) => {
    expect(clean(from)).toBe(to);
  },
);

test.for([
  ['a* b', 'a\u200B*\u200B b'],
  ['a: b:', 'a: b:'],
  ['@channel', '@\u200Bchannel'],
  ['a > b', 'a &gt; b'],
  ['>note', '\u200B&gt;note'],
  ['<b> & c', '&lt;b&gt; &amp; c'],
] as const)('%j is written as %j', ([from, to]) => {
  expect(escapeForMrkdwn(from)).toBe(to);
});

test.for([
  ['a name that fits exactly after escaping stays whole', '&&', { shown: 5, sent: 10 }, '&amp;&amp;'],
  [
    'a name that becomes too long is cut in proportion',
    `${'a'.repeat(10)}${'&'.repeat(10)}`,
    { shown: 20, sent: 40 },
    `${'a'.repeat(10)}&amp;&amp;…`,
  ],
] as const)('%s', ([, from, limit, to]) => {
  expect(escapeForMrkdwn(from, limit)).toBe(to);
});

test('a name is cut at the limit of names, and a path at that of paths', () => {
  expect(escapeForMrkdwn('x'.repeat(200))).toBe(`${'x'.repeat(limits.name - 1)}…`);
  const folders = Array.from({ length: 15 }, () => 'Folder');
  expect(escapeForMrkdwn(folders)).toBe(folders.join(' › '));
});

test.for([
  [['aaaa', 'bbbb', 'cccc'], 18, 'aaaa › bbbb › cccc'],
  [['aaaa', 'bbbb', 'cccc', 'dddd'], 22, 'aaaa › … › cccc › dddd'],
  [['aaaa', 'bbbb', 'cccc', 'dddd'], 21, 'aaaa › … › dddd'],
  [['a'.repeat(10), 'b'.repeat(10)], 20, 'aaaaa… › bbbbb…'],
] as const)('the path %j in %d characters keeps the parts that fit', ([folders, max, path]) => {
  expect(joinPath(folders, max)).toBe(path);
});

test('formatting characters at the edges of words do not format', () => {
  expect(escapeForMrkdwn('*bold* _slanted_ ~struck~')).not.toMatch(/(^|\s)[*_~]\S/);
  expect(asSlackShows(escapeForMrkdwn('*bold* _slanted_ ~struck~'))).toBe('*bold* _slanted_ ~struck~');
});

test('formatting characters inside words are kept, so that names can be searched for', () => {
  expect(escapeForMrkdwn('A-101_Plan_rev_B.pdf')).toBe('A-101_Plan_rev_B.pdf');
});

test('a backtick does not end the code it is in', () => {
  expect(code('a`b')).toBe('`aˋb`');
  expect(code('```')).toBe('`ˋˋˋ`');
});

test('empty text is not shown as empty code', () => {
  expect(code('\u200B \u00AD')).toBe('');
});

test('emoji codes stay letters', () => {
  expect(escapeForMrkdwn(':boom:')).toBe(':\u200Bboom:');
  expect(asSlackShows(escapeForMrkdwn(':a:b:'))).toBe(':a:b:');
});

test.for(['@channel', '@here', '@everyone'])('%s typed as a word mentions nobody', (word) => {
  expect(escapeForMrkdwn(word)).not.toContain(word);
  expect(escapeForText(word)).not.toContain(word);
});

test('an email address can be copied from a block and from a text', () => {
  expect(escapeForMrkdwn('dana@example.com')).toBe('dana@example.com');
  expect(escapeForText('dana@example.com')).toBe('dana@example.com');
});

test.for(['https://evil.example', 'javascript://x', 'www.evil.example'])(
  '%s is not a link in a text',
  (address) => {
    expect(escapeForText(address)).not.toContain(address);
    expect(asSlackShows(escapeForText(address))).toBe(address);
  },
);

test('a name that starts with > is not a quotation', () => {
  expect(escapeForText('>note')).not.toMatch(/^&gt;/);
});

test('cleaning twice is the same as cleaning once', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(clean(clean(text))).toBe(clean(text));
    }),
    runs,
  );
});

test('a long path keeps its root and its end', () => {
  const folders = ['Plans', ...Array.from({ length: 40 }, (_, index) => `Folder ${index}`), 'Level 1'];
  const path = joinPath(folders);
  expect(path).toMatch(/^Plans › … › .*› Folder 39 › Level 1$/);
  expect(path.length).toBeLessThanOrEqual(limits.path);
});

test('a folder without a name is still shown', () => {
  expect(joinPath(['Plans', '\u200B', 'Level 1'])).toBe('Plans › (no name) › Level 1');
});

test('plain text is cleaned and cut, and keeps angle brackets as they are', () => {
  expect(plain('<!channel>\u202E & co')).toBe('<!channel>\uFFFD & co');
  expect(plain('x'.repeat(500), 75)).toHaveLength(75);
});

test('text that fits is not cut', () => {
  expect(cutEnd('12345', 5)).toBe('12345');
  expect(cutEnd('123456', 5)).toBe('1234…');
});

test.for([
  ['ab cdef', 4, 'ab…'],
  ['😀xxxxx', 4, '😀x…'],
  ['ab😀cd', 4, 'ab…'],
] as const)('%j is cut at %d characters to %j', ([text, max, cut]) => {
  expect(cutEnd(text, max)).toBe(cut);
});
