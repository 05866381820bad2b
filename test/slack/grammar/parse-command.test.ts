import { expect, test } from 'vitest';
import type { Request, SubscribeRequest } from '../../../src/core/model/request.ts';
import type { Command } from '../../../src/core/model/verbs.ts';
import { parseCommand } from '../../../src/slack/grammar/parse-command.ts';

const id = '123-456-789';
const project = { kind: 'project', projectId: id } as const;
const session = { kind: 'session', sessionId: id } as const;
const unknown = { kind: 'unknown', id } as const;

function subscribe(said: Partial<SubscribeRequest>): SubscribeRequest {
  return { act: 'subscribe', target: project, comprehensive: true, filters: {}, ...said };
}

function fifty(prefix: string): string[] {
  return Array.from({ length: 50 }, (_, index) => `${prefix}${index}`);
}

const understood: readonly (readonly [Command, string, Request])[] = [
  // The resource
  ['subscribe', '', { act: 'open-form' }],
  ['subscribe', ' \u00A0\u200B\n', { act: 'open-form' }],
  ['subscribe', 'project 123-456-789', subscribe({})],
  ['subscribe', 'project 123456789', subscribe({})],
  ['subscribe', 'project 123 456 789', subscribe({})],
  ['subscribe', 'project 12 3456 789', subscribe({})],
  ['subscribe', 'project 123–456—789', subscribe({})],
  ['subscribe', 'project 123 - 456 - 789', subscribe({})],
  ['subscribe', 'project 123.456.789', subscribe({})],
  ['subscribe', 'project #123-456-789.', subscribe({})],
  ['subscribe', 'project １２３－４５６－７８９', subscribe({})],
  ['subscribe', 'project <tel:123456789|123-456-789>', subscribe({})],
  ['subscribe', 'PROJECT 123-456-789 Itself', subscribe({ comprehensive: false })],
  ['subscribe', '`project` `123-456-789`', subscribe({})],
  ['subscribe', '```project 123-456-789 itself```', subscribe({ comprehensive: false })],
  ['subscribe', '\u200Bpro\u00ADject\u00A0123\u2011456\u2011789\uFEFF', subscribe({})],
  [
    'subscribe',
    'folder 123-456-789 42',
    subscribe({ target: { kind: 'folder', projectId: id, itemId: '42' } }),
  ],
  [
    'subscribe',
    'file 123 456 789 987654321 live',
    subscribe({
      target: { kind: 'file', projectId: id, itemId: '987654321' },
      when: { when: 'live' },
    }),
  ],
  [
    'subscribe',
    'file 123-456-789 aBc{D},e=',
    subscribe({ target: { kind: 'file', projectId: id, itemId: 'aBc{D},e=' } }),
  ],
  [
    'subscribe',
    'file 123-456-789 "only"',
    subscribe({ target: { kind: 'file', projectId: id, itemId: 'only' } }),
  ],
  [
    'subscribe',
    'file 123-456-789 <http://plan.zip|plan.zip>',
    subscribe({ target: { kind: 'file', projectId: id, itemId: 'plan.zip' } }),
  ],
  ['subscribe', 'session 123-456-789', subscribe({ target: session })],
  [
    'subscribe',
    'file 123-456-789 F1 itself',
    subscribe({ target: { kind: 'file', projectId: id, itemId: 'F1' }, comprehensive: false }),
  ],
  ['subscribe', 'session 123-456-789 itself', subscribe({ target: session, comprehensive: false })],
  [
    'subscribe',
    'document 123-456-789 “Site Plan”',
    subscribe({
      target: { kind: 'document', sessionId: id, documentId: 'Site Plan' },
      comprehensive: false,
    }),
  ],
  ['subscribe', '123-456-789', subscribe({ target: unknown })],
  ['subscribe', '123 456 789 itself', subscribe({ target: unknown, comprehensive: false })],
  ['subscribe', 'https://plans.example/open/123456789', subscribe({ target: unknown })],
  ['subscribe', '<https://plans.example/x?id=123-456-789&amp;tab=2>', subscribe({ target: unknown })],
  ['subscribe', '<https://plans.example/x/123456789|The tower>', subscribe({ target: unknown })],
  ['subscribe', '&lt;https://plans.example/x/123456789&gt;', subscribe({ target: unknown })],
  ['subscribe', 'plans.example/projects/123456789/files', subscribe({})],
  ['subscribe', '<https://plans.example/Projects/123-456-789-tower>', subscribe({})],
  ['subscribe', '<https://plans.example/projects/open?id=123456789>', subscribe({ target: unknown })],
  ['subscribe', '<https://plans.example/#/sessions/123456789>', subscribe({ target: session })],
  [
    'subscribe',
    '<https://plans.example/Primes/987654321/Projects/123456789/ProjectItems/555666777>',
    subscribe({}),
  ],
  [
    'subscribe',
    'session <https://plans.example/projects/987654321/sessions/123456789>',
    subscribe({ target: session }),
  ],
  ['subscribe', '<https://plans.example/x/111-222-333-444/123-456-789>', subscribe({ target: unknown })],
  [
    'subscribe',
    '<https://plans.example/x/a111222333/123456789?to=444555666>',
    subscribe({ target: unknown }),
  ],
  ['subscribe', '<https://plans.example/x|123-456-789>', subscribe({ target: unknown })],
  ['subscribe', 'project <https://plans.example/x/123456789> itself', subscribe({ comprehensive: false })],
  [
    'subscribe',
    '<https://plans.example/projects/123456789/sessions/987654321> live',
    subscribe({
      target: { kind: 'session', sessionId: '987-654-321' },
      when: { when: 'live' },
    }),
  ],
  ['subscribe', 'project <https://plans.example/projects/123456789/sessions/987654321>', subscribe({})],
  ['subscribe', '<https://plans.example/open/123456789/sessions>', subscribe({ target: unknown })],
  ['subscribe', '<https://plans.example/tel:1/123456789>', subscribe({ target: unknown })],
  ['subscribe', 'ｐＲｏｊｅｃｔ 123-456-789', subscribe({})],
  ['subscribe', 'pro\u200Dject 123-456-789', subscribe({})],
  [
    'subscribe',
    'file 123-456-789 " F1 "',
    subscribe({ target: { kind: 'file', projectId: id, itemId: 'F1' } }),
  ],
  [
    'subscribe',
    'file <https://plans.example/projects/123456789> F1',
    subscribe({ target: { kind: 'file', projectId: id, itemId: 'F1' } }),
  ],
  // Types
  ['subscribe', 'project 123-456-789 only create', subscribe({ filters: { only: ['create'] } })],
  [
    'subscribe',
    'project 123-456-789 ONLY Created, deletes',
    subscribe({ filters: { only: ['create', 'delete'] } }),
  ],
  [
    'subscribe',
    'project 123-456-789 only create , update and delete',
    subscribe({ filters: { only: ['create', 'update', 'delete'] } }),
  ],
  ['subscribe', 'project 123-456-789 only create only created', subscribe({ filters: { only: ['create'] } })],
  ['subscribe', 'project 123-456-789 only all', subscribe({ filters: { only: [] } })],
  ['subscribe', 'project 123-456-789 only everything', subscribe({ filters: { only: [] } })],
  [
    'subscribe',
    'project 123-456-789 only added removed',
    subscribe({ filters: { only: ['create', 'delete'] } }),
  ],
  [
    'subscribe',
    'project 123-456-789 only `added, deleted`',
    subscribe({ filters: { only: ['create', 'delete'] } }),
  ],
  // Paths
  ['subscribe', 'project 123-456-789 in Plans/**', subscribe({ filters: { paths: ['Plans/**'] } })],
  [
    'subscribe',
    'project 123-456-789 in “Plans/Level\u00A01/**” Docs/** "!Old, very old/**"',
    subscribe({ filters: { paths: ['Plans/Level 1/**', 'Docs/**', '!Old, very old/**'] } }),
  ],
  [
    'subscribe',
    "project 123-456-789 in 'Dana's plans/**' !\"Level 2\"/*, Level{1,2}/**",
    subscribe({ filters: { paths: ["Dana's plans/**", '!Level 2/*', 'Level{1,2}/**'] } }),
  ],
  [
    'subscribe',
    'project 123-456-789 in „Pläne/**“ in «Étage 1/**» only update in "!x"',
    subscribe({ filters: { only: ['update'], paths: ['Pläne/**', 'Étage 1/**', '!x'] } }),
  ],
  [
    'subscribe',
    'project 123-456-789 in `Plans/Level 1/**`, `Docs/*` only create',
    subscribe({ filters: { only: ['create'], paths: ['Plans/Level 1/**', 'Docs/*'] } }),
  ],
  [
    'subscribe',
    'project 123-456-789 in "Plans/Level 1 only create\nthreads on',
    subscribe({ filters: { paths: ['Plans/Level 1 only create'] }, threads: true }),
  ],
  [
    'subscribe',
    'project 123-456-789 in “R&amp;D &lt;new&gt;/**" "Docs/<http://readme.md|readme.md>"',
    subscribe({ filters: { paths: ['R&D <new>/**', 'Docs/readme.md'] } }),
  ],
  [
    'subscribe',
    'project 123-456-789 in "by" live',
    subscribe({ filters: { paths: ['by'] }, when: { when: 'live' } }),
  ],
  ['subscribe', 'project 123-456-789 in "3"" pipes"', subscribe({ filters: { paths: ['3" pipes'] } })],
  [
    'subscribe',
    'project 123-456-789 in Life/ only create',
    subscribe({ filters: { only: ['create'], paths: ['Life/'] } }),
  ],
  ['subscribe', 'project 123-456-789 in anywhere', subscribe({ filters: { paths: [] } })],
  // Everything is in the root, so it is no filter.
  ['subscribe', 'project 123-456-789 in "/"', subscribe({ filters: { paths: [] } })],
  [
    'subscribe',
    'project 123-456-789 in ./ live',
    subscribe({ filters: { paths: [] }, when: { when: 'live' } }),
  ],
  ['subscribe', 'project 123-456-789 in / "!Old/**"', subscribe({ filters: { paths: ['!Old/**'] } })],
  ['subscribe', 'project 123-456-789 in Plans/** //', subscribe({ filters: { paths: [] } })],
  ['subscribe', 'project 123-456-789 in anywhere in anywhere', subscribe({ filters: { paths: [] } })],
  ...(
    [
      // Words after the first are paths by their quotes, their signs or their ending, or after a comma.
      ['Plans/, "onyl", "create"', ['Plans/', 'onyl', 'create']],
      [
        '"thread" Docs/ !Old *.pdf A-101.pdf, and Plan.dwg!',
        ['thread', 'Docs/', '!Old', '*.pdf', 'A-101.pdf', 'Plan.dwg'],
      ],
      ['Plans › Level1 / North', ['Plans/Level1/North']],
      ['" Plans/** "', ['Plans/**']],
      ['a/*/*/*/*/*/*/*/*/*/*', ['a/*/*/*/*/*/*/*/*/*/*']],
      ['`Level 1`, `Level 2` `Level 3`', ['Level 1', 'Level 2', 'Level 3']],
      ['"Level 1" `Level 2`', ['Level 1', 'Level 2']],
      ['`Plans/Level/ A/', ['Plans/Level/', 'A/']],
      ['`a/\n"b"`', ['a/', 'b']],
      ['` a/ b/`', ['a/', 'b/']],
      ['`"Level 1"`', ['Level 1']],
      ['`a b`\nc/', ['a b', 'c/']],
      ['"Plans/Level 1', ['Plans/Level 1']],
      ['3"pipes/ x/', ['3"pipes/', 'x/']],
      ['a}/,b/', ['a}/', 'b/']],
      ['"Level 2"x', ['Level 2x']],
      ['"Pla\u200Bns"', ['Plans']],
      ['a@U1>', ['a@U1>']],
      ['<https://x.y', ['<https://x.y']],
      ['<Plans>', ['<Plans>']],
      ['"<#C12AB|general>" "<#C12AB>"', ['#general', '#C12AB']],
      ['<mailto:a@b.c> <https://x.y/tel:1>', ['a@b.c', 'https://x.y/tel:1']],
    ] as const
  ).map(
    ([words, paths]) =>
      ['subscribe', `project 123-456-789 in ${words}`, subscribe({ filters: { paths } })] as const,
  ),
  [
    'subscribe',
    `project 123-456-789 in ${fifty('/p').join(',')} in /p0`,
    subscribe({ filters: { paths: fifty('/p') } }),
  ],
  // People
  [
    'subscribe',
    'project 123-456-789 by dana@example.com',
    subscribe({ filters: { by: [{ email: 'dana@example.com' }] } }),
  ],
  [
    'subscribe',
    'project 123-456-789 by <mailto:Dana@example.com|Dana@example.com>, <@U12AB|bo> <@W9> and "x&amp;y@z.org"',
    subscribe({
      filters: {
        by: [{ email: 'Dana@example.com' }, { userId: 'U12AB' }, { userId: 'W9' }, { email: 'x&y@z.org' }],
      },
    }),
  ],
  [
    'subscribe',
    'project 123-456-789 not by &lt;eve@example.com&gt; by bo@example.com',
    subscribe({ filters: { by: [{ email: 'bo@example.com' }], notBy: [{ email: 'eve@example.com' }] } }),
  ],
  ['subscribe', 'project 123-456-789 by anyone not by nobody', subscribe({ filters: { by: [], notBy: [] } })],
  ['subscribe', 'project 123-456-789 by "<@U12AB>"', subscribe({ filters: { by: [{ userId: 'U12AB' }] } })],
  ['subscribe', 'project 123-456-789 by anyone by anyone', subscribe({ filters: { by: [] } })],
  [
    'subscribe',
    'project 123-456-789 by dana@example.com by <@U12AB> by DANA@example.com',
    subscribe({ filters: { by: [{ email: 'dana@example.com' }, { userId: 'U12AB' }] } }),
  ],
  [
    'subscribe',
    'project 123-456-789 by &lt;@U12AB&gt; &lt;@U34CD|dana&gt; &lt;@U5&gt;',
    subscribe({ filters: { by: [{ userId: 'U12AB' }, { userId: 'U34CD' }, { userId: 'U5' }] } }),
  ],
  [
    'subscribe',
    'project 123-456-789 by <mailto:dana@example.com?subject=hi|Dana> " sam@example.com "',
    subscribe({ filters: { by: [{ email: 'dana@example.com' }, { email: 'sam@example.com' }] } }),
  ],
  [
    'subscribe',
    'project 123-456-789 by <https://x.example/mailto:eve@example.com|dana@example.com>',
    subscribe({ filters: { by: [{ email: 'dana@example.com' }] } }),
  ],
  [
    'subscribe',
    `project 123-456-789 by ${fifty('p').join('@x.y ')}@x.y`,
    subscribe({ filters: { by: fifty('p').map((name) => ({ email: `${name}@x.y` })) } }),
  ],
  // When and where
  ['subscribe', 'project 123-456-789 digest hourly', subscribe({ when: { when: 'hourly' } })],
  ['subscribe', 'project 123-456-789 digest daily 9:00', subscribe({ when: { when: 'daily', at: '09:00' } })],
  [
    'subscribe',
    'project 123-456-789 digest daily at 17.30',
    subscribe({ when: { when: 'daily', at: '17:30' } }),
  ],
  [
    'subscribe',
    'project 123-456-789 digest daily 12 am',
    subscribe({ when: { when: 'daily', at: '00:00' } }),
  ],
  ['subscribe', 'project 123-456-789 digest live', subscribe({ when: { when: 'live' } })],
  ...(
    [
      ['5 pm', '17:00'],
      ['12 pm', '12:00'],
      ['1am', '01:00'],
      ['23:59', '23:59'],
    ] as const
  ).map(
    ([words, at]) =>
      [
        'subscribe',
        `project 123-456-789 digest daily ${words}`,
        subscribe({ when: { when: 'daily', at } }),
      ] as const,
  ),
  ['subscribe', 'project 123-456-789 Threads Off', subscribe({ threads: false })],
  [
    'subscribe',
    'project 123-456-789 threads on, digest daily 09:00, not by <@U1A>, in "a b", only delete, itself',
    subscribe({
      comprehensive: false,
      filters: { only: ['delete'], paths: ['a b'], notBy: [{ userId: 'U1A' }] },
      when: { when: 'daily', at: '09:00' },
      threads: true,
    }),
  ],
  ['subscribe', 'project 123-456-789 THREADS', subscribe({ threads: true })],
  [
    'subscribe',
    'project 123-456-789 threads only added',
    subscribe({ threads: true, filters: { only: ['create'] } }),
  ],
  [
    'subscribe',
    'project 123-456-789 only Added, changed,deleted',
    subscribe({ filters: { only: ['create', 'update', 'delete'] } }),
  ],
  ['subscribe', 'project 123-456-789 digest off', subscribe({ when: { when: 'live' } })],
  ['subscribe', 'project 123-456-789 by me', subscribe({ filters: { by: [{ userId: 'U0ME' }] } })],
  [
    'subscribe',
    'project 123-456-789 not by Me, dana@example.com',
    subscribe({ filters: { notBy: [{ userId: 'U0ME' }, { email: 'dana@example.com' }] } }),
  ],
  [
    'subscribe',
    'project 123-456-789 digest daily 9:00 weekdays',
    subscribe({ when: { when: 'daily', at: '09:00', weekdays: true } }),
  ],
  [
    'subscribe',
    'project 123-456-789 weekdays digest daily 9:00',
    subscribe({ when: { when: 'daily', at: '09:00', weekdays: true } }),
  ],
  [
    'subscribe',
    'project 123-456-789 digest weekdays 9:00',
    subscribe({ when: { when: 'daily', at: '09:00', weekdays: true } }),
  ],
  [
    'subscribe',
    'project 123-456-789 digest hourly except deleted',
    subscribe({ when: { when: 'hourly', except: ['delete'] } }),
  ],
  [
    'subscribe',
    'project 123-456-789 except deleted, added threads digest daily 9:00',
    subscribe({ when: { when: 'daily', at: '09:00', except: ['delete', 'create'] }, threads: true }),
  ],
  [
    'subscribe',
    'project 123-456-789 digest hourly except removed',
    subscribe({ when: { when: 'hourly', except: ['delete'] } }),
  ],
  ['subscribe', 'project 123-456-789 as “Harbour Tower”', subscribe({ name: 'Harbour Tower' })],
  ['subscribe', 'project 123-456-789 as Tower live', subscribe({ name: 'Tower', when: { when: 'live' } })],
  ['subscribe', 'project 123-456-789 as " Tower "', subscribe({ name: 'Tower' })],
  [
    'subscribe',
    'project 123-456-789 only added to me',
    subscribe({ filters: { only: ['create'] }, personal: true }),
  ],
  [
    'subscribe',
    'project 123-456-789 to me only added',
    subscribe({ filters: { only: ['create'] }, personal: true }),
  ],
  [
    'subscribe',
    'project 123-456-789 by me to me',
    subscribe({ filters: { by: [{ userId: 'U0ME' }] }, personal: true }),
  ],
  ['subscribe', 'to me', { act: 'open-form', personal: true }],
  [
    'subscribe',
    'folder 123-456-789 F1 itself',
    subscribe({ target: { kind: 'folder', projectId: id, itemId: 'F1' }, comprehensive: false }),
  ],
  ['unsubscribe', 'to me', { act: 'unsubscribe-list', personal: true }],
  ['unsubscribe', 'all To Me', { act: 'unsubscribe-all', personal: true }],
  ['unsubscribe', 'project 123-456-789 to me', { act: 'unsubscribe', target: project, personal: true }],
  ['subscriptions', 'to me', { act: 'list', personal: true }],
  // The other commands
  ['subscribe', 'help', { act: 'help', topic: 'subscribe' }],
  ['unsubscribe', '--help', { act: 'help', topic: 'unsubscribe' }],
  ['unsubscribe', '', { act: 'unsubscribe-list' }],
  ['unsubscribe', 'ALL', { act: 'unsubscribe-all' }],
  ['unsubscribe', 'project 123-456-789', { act: 'unsubscribe', target: project }],
  ['unsubscribe', 'session 123-456-789 itself', { act: 'unsubscribe', target: session }],
  ['unsubscribe', '123456789', { act: 'unsubscribe', target: unknown }],
  [
    'unsubscribe',
    'file 123-456-789 F1',
    { act: 'unsubscribe', target: { kind: 'file', projectId: id, itemId: 'F1' } },
  ],
  ['subscriptions', '', { act: 'list' }],
  ['plancast', '', { act: 'help' }],
  ['plancast', 'help', { act: 'help' }],
  ['plancast', 'help Mute', { act: 'help', topic: 'mute' }],
  ['plancast', 'subscribe', { act: 'open-form' }],
  ['plancast', '`Subscribe project 123-456-789 itself`', subscribe({ comprehensive: false })],
  ['plancast', 'unsubscribe all', { act: 'unsubscribe-all' }],
  ['plancast', 'subscriptions', { act: 'list' }],
  ['plancast', 'link', { act: 'link' }],
  ['plancast', 'link abc-2 34', { act: 'link', code: 'ABC234' }],
  ['plancast', 'unlink', { act: 'unlink' }],
  ['plancast', 'status', { act: 'status' }],
  ['plancast', 'settings', { act: 'settings' }],
  ['plancast', 'mute 2h', { act: 'mute', minutes: 120 }],
  ['plancast', 'mute for 1 day', { act: 'mute', minutes: 1440 }],
  ['plancast', 'mute 1h 30m', { act: 'mute', minutes: 90 }],
  ['plancast', 'mute 90 Minutes', { act: 'mute', minutes: 90 }],
  ['plancast', 'mute " 1m "', { act: 'mute', minutes: 1 }],
  ['plancast', 'unmute', { act: 'unmute' }],
  ['plancast', 'doctor', { act: 'doctor' }],
  ['plancast', 'why', { act: 'why' }],
];

test.each(understood)('/%s %s is understood', (command, text, request) => {
  expect(parseCommand(command, text, { me: 'U0ME' })).toEqual({ ok: true, request });
});

test('an option that was not typed stays undefined, and one that was emptied is an empty list', () => {
  const parsed = parseCommand('subscribe', 'project 123-456-789 in anywhere');
  expect(parsed).toStrictEqual({
    ok: true,
    request: {
      act: 'subscribe',
      target: project,
      comprehensive: true,
      filters: { only: undefined, paths: [], by: undefined, notBy: undefined },
      when: undefined,
      threads: undefined,
      name: undefined,
      ping: undefined,
    },
  });
});

test.each([
  ['https://plans.example/{project}/{item}', 'the folder’s id after it. Or paste its link instead'],
  [undefined, 'the folder’s id after it'],
])('a folder without its id: its link is asked for where such links can be read (%s)', (item, expected) => {
  const templates = { project: undefined, item, session: undefined, document: undefined };
  const parsed = parseCommand('subscribe', 'folder 123-456-789', { templates });
  expect(parsed).toMatchObject({ mistake: { faults: [{ value: null, expected }] } });
});

test.each([
  ['LINK folder', 'folder'],
  ['LINK only added, the file please', 'file'],
  ['folder, please: LINK', 'folder'],
  ['LINK', null],
  ['LINK file or folder', null],
])('a link to an item leads to what a word anywhere in the line says: %s', (line, kind) => {
  const item = 'https://plans.example/{project}/{item}';
  const templates = { project: undefined, item, session: undefined, document: undefined };
  const text = line.replace('LINK', '<https://plans.example/123456789/F100>');
  const parsed = parseCommand('subscribe', text, { templates });
  const request = parsed.ok ? parsed.request : parsed.mistake.understood;
  const target = kind === null ? null : { kind, projectId: '123-456-789', itemId: 'F100' };
  expect(request && 'target' in request ? request.target : null).toEqual(target);
});
