import { expect, test } from 'vitest';
import { type Command, defaultNames } from '../../../src/core/model/commands.ts';
import { parseCommand } from '../../../src/slack/grammar/parse-command.ts';

const p = 'project 412-873-550';
const here = { channelId: 'C0PLANS', name: 'plans' };
const line = (rest: string) => `/subscribe ${p} ${rest}`;

/** Lines as people mistype them, by kind of mistake: the text after the command, and the whole corrected line. */
const mistyped: Readonly<Record<string, readonly (readonly [Command, string, string])[]>> = {
  'a slip in a verb': [
    ['plancast', `subscrbe ${p}`, `/plancast subscribe ${p}`],
    ['plancast', `Subscibe ${p} live`, `/plancast subscribe ${p} live`],
    ['plancast', `unsubscribr ${p}`, `/plancast unsubscribe ${p}`],
    ['plancast', 'subscripions', '/plancast subscriptions'],
    ['plancast', `follow ${p}`, `/plancast subscribe ${p}`],
    ['plancast', `unfollow ${p}`, `/plancast unsubscribe ${p}`],
    ['plancast', 'unmut', '/plancast unmute'],
    ['plancast', 'docter', '/plancast doctor'],
    ['plancast', 'login', '/plancast link'],
    ['plancast', `${p} live`, `/plancast subscribe ${p} live`],
    ['plancast', 'help subscribr', '/plancast help subscribe'],
    ['plancast', 'pause 2h', '/plancast mute 2h'],
    ['plancast', 'help mtue', '/plancast help mute'],
    ['plancast', 'help subscribe now', '/plancast help subscribe'],
    ['plancast', 'wyh', '/plancast why'],
    ['plancast', 'why???', '/plancast why'],
    ['plancast', '--why', '/plancast why'],
    ['plancast', 'set', '/plancast settings'],
    ['plancast', 'satuts', '/plancast status'],
    ['plancast', `unsubs ${p}`, `/plancast unsubscribe ${p}`],
    ['plancast', `susbcirbe ${p}`, `/plancast subscribe ${p}`],
    [
      'plancast',
      `<https://plans.example/projects/412873550>`,
      '/plancast subscribe https://plans.example/projects/412873550',
    ],
  ],
  'a slip in what is followed': [
    ['subscribe', 'projct 412-873-550', `/subscribe ${p}`],
    ['subscribe', 'projects 412-873-550', `/subscribe ${p}`],
    ['subscribe', 'porject 412 873 550 live', line('live')],
    ['subscribe', 'project412873550', `/subscribe ${p}`],
    ['subscribe', 'project:412-873-550', `/subscribe ${p}`],
    ['subscribe', '412-873-550 project', `/subscribe ${p}`],
    ['subscribe', 'to project 412-873-550', `/subscribe ${p}`],
    ['subscribe', 'project id 412-873-550', `/subscribe ${p}`],
    ['subscribe', 'project 412-873-55O', `/subscribe ${p}`],
    ['subscribe', 'sesion 731-450-286', '/subscribe session 731-450-286'],
    [
      'subscribe',
      'session https://x.example/projects/412-873-550',
      '/subscribe project https://x.example/projects/412-873-550',
    ],
    ['subscribe', 'directory 412-873-550 F100', '/subscribe folder 412-873-550 F100'],
    ['subscribe', '731-450-286 session', '/subscribe session 731-450-286'],
    ['subscribe', 'project 4l2-873-550', `/subscribe ${p}`],
    ['subscribe', 'project number 412-873-550', `/subscribe ${p}`],
    ['subscribe', 'project no 412-873-550', `/subscribe ${p}`],
    ['subscribe', 'project nr 412-873-550', `/subscribe ${p}`],
  ],
  'a slip in an option': [
    ['subscribe', `${p} onyl added`, line('only added')],
    ['subscribe', `${p} thread on`, line('threads on')],
    ['subscribe', `${p} threads yes`, line('threads on')],
    ['subscribe', `${p} threads no`, line('threads off')],
    ['subscribe', `${p} itslef`, line('itself')],
    ['subscribe', `${p} lvie`, line('live')],
    ['subscribe', `${p} only addd`, line('only added')],
    ['subscribe', `${p} only added,deletd`, line('only added,deleted')],
    ['subscribe', `${p} only moved and renamed`, line('only changed')],
    ['subscribe', `${p} only uploads`, line('only added')],
    ['subscribe', `${p} only added deletd`, line('only added deleted')],
    ['subscribe', `${p} only added Plans`, line('only added in "Plans/**"')],
    ['subscribe', `${p} onyl added to me`, line('only added to me')],
    ['subscribe', `${p} by: dana@example.com`, line('by dana@example.com')],
    ['subscribe', `${p} threads none`, line('threads off')],
    ['subscribe', `${p} threads false`, line('threads off')],
    ['subscribe', `${p} threads never`, line('threads off')],
    ['subscribe', `${p} threads disabled`, line('threads off')],
    ['subscribe', `${p} threads of`, line('threads off')],
    ['subscribe', `${p} threads stop`, line('threads off')],
    ['subscribe', `${p} as Harbour 6"pipe`, line('as "Harbour 6pipe"')],
    ['subscribe', `${p} in Plans thread on`, line('in Plans threads on')],
    ['subscribe', `${p} in Plans thread off`, line('in Plans threads off')],
    ['subscribe', `${p} in Plans onyl added,deletd`, line('in Plans only added,deleted')],
    ['subscribe', `${p} in Plans digests hourly`, line('in Plans digest hourly')],
    ['subscribe', `${p} digest hourly in Plans exept deleted`, line('digest hourly in Plans except deleted')],
  ],
  'an option without its word': [
    ['subscribe', `${p} added`, line('only added')],
    ['subscribe', `${p} added, deleted threads`, line('only added, deleted threads')],
    ['subscribe', `${p} dana@example.com`, line('by dana@example.com')],
    ['subscribe', `${p} <@U2DANA|dana>`, line('by <@U2DANA|dana>')],
    ['subscribe', `${p} me`, line('by me')],
    ['subscribe', `${p} hourly`, line('digest hourly')],
    ['subscribe', `${p} daily 9:00`, line('digest daily 9:00')],
    ['subscribe', `${p} 9:00`, line('digest daily 9:00')],
    ['subscribe', `${p} weekdays`, line('digest daily 09:00 weekdays')],
    ['subscribe', `${p} not dana@example.com`, line('not by dana@example.com')],
    ['subscribe', `${p} removed`, line('only removed')],
    ['subscribe', `${p} deletd`, line('only deleted')],
    ['subscribe', `${p} weekly`, line('digest daily 09:00')],
    ['subscribe', `${p} monthly`, line('digest daily 09:00')],
    ['subscribe', `${p} nightly`, line('digest daily 09:00')],
    ['subscribe', `${p} 5pm`, line('digest daily 5pm')],
  ],
  'a digest': [
    ['subscribe', `${p} digest`, line('digest daily 09:00')],
    ['subscribe', `${p} digest daily`, line('digest daily 09:00')],
    ['subscribe', `${p} digest weekly`, line('digest daily 09:00')],
    ['subscribe', `${p} digest weekly monday 8:00`, line('digest daily 8:00')],
    ['subscribe', `${p} digest every day at 9:00`, line('digest daily at 9:00')],
    ['subscribe', `${p} digest every hour`, line('digest hourly')],
    ['subscribe', `${p} digest hourley`, line('digest hourly')],
    ['subscribe', `${p} digest 17:30`, line('digest daily 17:30')],
    ['subscribe', `${p} digest none`, line('digest off')],
    ['subscribe', `${p} digest daily threads`, line('digest daily 09:00 threads')],
    ['subscribe', `${p} digest hourly weekdays`, line('digest hourly')],
    ['subscribe', `${p} except deleted`, line('only added,changed')],
    ['subscribe', `${p} live except deleted`, line('live only added,changed')],
    ['subscribe', `${p} except`, line('only added,changed')],
    ['subscribe', `${p} digest hourly except`, line('digest hourly except deleted')],
    ['subscribe', `${p} digest hourly except deletd`, line('digest hourly except deleted')],
    ['subscribe', `${p} digest not by dana@example.com`, line('digest daily 09:00 not by dana@example.com')],
    ['subscribe', `${p} digest only added`, line('digest daily 09:00 only added')],
    ['subscribe', `${p} digest 17`, line('digest daily 17:00')],
    ['subscribe', `${p} digest 5pm`, line('digest daily 5pm')],
    ['subscribe', `${p} digest fortnightly 8:00`, line('digest daily 8:00')],
    ['subscribe', `${p} digest weekly mondays 8:00`, line('digest daily 8:00')],
    ['subscribe', `${p} digest daily 9:00 UTC`, line('digest daily 9:00')],
    ['subscribe', `${p} digest daily 9:00 Europe/Berlin weekdays`, line('digest daily 9:00 weekdays')],
    ['subscribe', `${p} digest noon`, line('digest daily 12:00')],
    ['subscribe', `${p} digest at noon`, line('digest daily 12:00')],
    ['subscribe', `${p} digest every evening`, line('digest daily 18:00')],
    ['subscribe', `${p} digest mornings at 8:00`, line('digest daily at 8:00')],
    ['subscribe', `${p} digest midnight weekdays`, line('digest daily 00:00 weekdays')],
    ['subscribe', `${p} digest 17h`, line('digest daily 17:00')],
    ['subscribe', `${p} digest 9.00`, line('digest daily 9.00')],
    ['subscribe', `${p} digest 9 am`, line('digest daily 9 am')],
    ['subscribe', `${p} digest at 9pm`, line('digest daily 9pm')],
  ],
  'a time': [
    ['subscribe', `${p} digest daily 9`, line('digest daily 09:00')],
    ['subscribe', `${p} digest daily at 9`, line('digest daily at 09:00')],
    ['subscribe', `${p} digest daily at noon`, line('digest daily at 12:00')],
    ['subscribe', `${p} digest daily 0930`, line('digest daily 09:30')],
    ['subscribe', `${p} digest daily 9h30`, line('digest daily 09:30')],
    ['subscribe', `${p} digest daily 24:00`, line('digest daily 00:00')],
    ['subscribe', `${p} digest daily noon`, line('digest daily 12:00')],
    ['subscribe', `${p} digest daily morning`, line('digest daily 09:00')],
    ['plancast', 'mute', '/plancast mute 2h'],
    ['plancast', 'mute 2', '/plancast mute 2h'],
    ['plancast', 'mute two hours', '/plancast mute 2h'],
    ['plancast', 'mute 1.5h', '/plancast mute 90m'],
    ['plancast', 'mute forever', '/plancast mute 30d'],
    ['plancast', 'mute until tomorrow', '/plancast mute 1d'],
    ['plancast', 'mute 60d', '/plancast mute 30d'],
    ['plancast', 'mute 2 huors', '/plancast mute 2h'],
    ['plancast', 'mute 2h!', '/plancast mute 2h'],
    ['plancast', 'mute ~2h', '/plancast mute 2h'],
    ['plancast', 'mute 9', '/plancast mute 9h'],
    ['plancast', 'mute 10', '/plancast mute 10m'],
    ['plancast', 'mute 24', '/plancast mute 1d'],
    ['plancast', 'mute 45', '/plancast mute 45m'],
    ['plancast', 'mute 90', '/plancast mute 90m'],
    ['plancast', 'mute for 120', '/plancast mute for 2h'],
    ['plancast', 'mute 1,5h', '/plancast mute 90m'],
    ['plancast', 'mute 5 minuts', '/plancast mute 5m'],
    ['plancast', 'mute 5 -- minutes', '/plancast mute 5m'],
    ['plancast', 'mute one minute', '/plancast mute 1m'],
    ['plancast', 'mute 30 dayz', '/plancast mute 30d'],
  ],
  'two that contradict each other': [
    ['subscribe', `${p} threads on off`, line('threads off')],
    ['subscribe', `${p} threads off on`, line('threads on')],
    ['subscribe', `${p} threads on on`, line('threads on')],
    ['subscribe', `${p} threads on only added threads off`, line('only added threads off')],
    ['subscribe', `${p} live digest hourly`, line('digest hourly')],
    ['subscribe', `${p} digest daily 9:00 weekdays live`, line('live')],
    [
      'subscribe',
      `${p} digest hourly only added digest daily at 8:00`,
      line('only added digest daily at 8:00'),
    ],
    ['subscribe', `${p} digest hourly off`, line('digest off')],
    ['subscribe', `${p} digest daily weekdays 17:00`, line('digest weekdays 17:00')],
    ['subscribe', `${p} digest hourly except deleted live`, line('digest hourly except deleted')],
    ['subscribe', `${p} as Tower as "Harbour Tower"`, line('as "Harbour Tower"')],
    ['subscribe', `${p} only added only deleted`, line('only added and deleted')],
    ['subscribe', `${p} only added threads only deleted,changed`, line('threads only added,deleted,changed')],
    ['subscribe', `${p} only all only deleted`, line('only deleted')],
    ['subscribe', `${p} no threads`, line('threads off')],
    ['subscribe', `${p} without thread`, line('threads off')],
    ['subscribe', `${p} no digest only added`, line('live only added')],
  ],
  'days after a time': [
    ['subscribe', `${p} 9:00 weekends`, line('digest daily 9:00')],
    ['subscribe', `${p} digest daily 9:00 on weekends`, line('digest daily 9:00')],
    ['subscribe', `${p} digest daily 9:00 sat sun`, line('digest daily 9:00')],
    ['subscribe', `${p} digest daily 9:00 mondays`, line('digest daily 9:00')],
    ['subscribe', `${p} digest weekends 8:00`, line('digest daily 8:00')],
    ['subscribe', `${p} 9:00 mon-fri`, line('digest daily 9:00 weekdays')],
    ['subscribe', `${p} digest mon-fri 9:00`, line('digest weekdays 9:00')],
    ['subscribe', `${p} digest daily Mon – Fri 8:30`, line('digest weekdays 8:30')],
    [
      'subscribe',
      `${p} digest daily 8am Monday to Friday threads`,
      line('digest daily 8am weekdays threads'),
    ],
    ['subscribe', `${p} digest daily 9:00 except weekends`, line('digest daily 9:00 weekdays')],
    ['subscribe', `${p} digest daily 9:00 not on weekends`, line('digest daily 9:00 weekdays')],
  ],
  'a bare folder name': [
    ['subscribe', `${p} Plans`, line('in "Plans/**"')],
    ['subscribe', `${p} Level 1`, line('in "Level 1/**"')],
    ['subscribe', `${p} Plans only added`, line('in "Plans/**" only added')],
    ['subscribe', `${p} "Level 1"`, line('in "Level 1/**"')],
    ['subscribe', `${p} Plans/Level1`, line('in "Plans/Level1/**"')],
    ['subscribe', `${p} *.pdf`, line('in "*.pdf"')],
    ['subscribe', `${p} inn Plans/**`, line('in Plans/**')],
    ['subscribe', `${p} only Plans/**`, line('in Plans/**')],
    ['subscribe', `${p} not in Archive`, line('in "!Archive/**"')],
    ['subscribe', `${p} except Archive`, line('in "!Archive/**"')],
    ['subscribe', 'folder 412-873-550 Plans/Level1', line('in "Plans/Level1/**"')],
    ['subscribe', `${p} Level 1 North`, line('in "Level 1 North/**"')],
    ['subscribe', `${p} Bo`, line('in "Bo/**"')],
    ['subscribe', `${p} Morning`, line('in "Morning/**"')],
    ['subscribe', `${p} "uploaded"`, line('in "uploaded/**"')],
    ['subscribe', `${p} " Plans/Level 1// "`, line('in "Plans/Level 1/**"')],
    ['subscribe', `${p} Plans/tower.dwg`, line('in "Plans/tower.dwg"')],
    ['subscribe', `${p} Plans/v1.2-final`, line('in "Plans/v1.2-final/**"')],
    ['subscribe', `${p} not in !Archive`, line('in "!Archive/**"')],
    ['subscribe', `${p} not in " Old!"`, line('in "!Old!/**"')],
    ['subscribe', 'folder 412-873-550 F100 Plans', '/subscribe folder 412-873-550 F100 in "Plans/**"'],
    ['subscribe', 'session 731-450-286 Docs/**', '/subscribe session 731-450-286 in "Docs/**"'],
  ],
  'a person': [
    ['subscribe', `${p} by myself`, line('by me')],
    ['subscribe', `${p} by everyone`, line('by anyone')],
    ['subscribe', `${p} not by anyone`, line('not by nobody')],
    ['subscribe', `${p} from dana@example.com`, line('by dana@example.com')],
    ['subscribe', `${p} by dana@example.com;sam@example.com`, line('by dana@example.com, sam@example.com')],
    ['subscribe', `${p} except dana@example.com`, line('not by dana@example.com')],
    ['subscribe', `${p} except by dana@example.com`, line('not by dana@example.com')],
    ['subscribe', `${p} without by dana@example.com`, line('not by dana@example.com')],
    ['subscribe', `${p} only by dana@example.com`, line('by dana@example.com')],
    ['subscribe', `${p} only <@U2DANA>`, line('by <@U2DANA>')],
    ['subscribe', `${p} by mine`, line('by me')],
    ['subscribe', `${p} by @me`, line('by me')],
    ['subscribe', `${p} by not dana@example.com`, line('not by dana@example.com')],
    ['subscribe', `${p} by anybody`, line('by anyone')],
    ['subscribe', `${p} by everybody`, line('by anyone')],
    ['subscribe', `${p} by all`, line('by anyone')],
    ['subscribe', `${p} not by none`, line('not by nobody')],
    ['subscribe', `${p} not by anybody`, line('not by nobody')],
    ['subscribe', `${p} not by noone`, line('not by nobody')],
    ['subscribe', `${p} by dana@example.com onyl added`, line('by dana@example.com only added')],
    [
      'subscribe',
      `${p} by " dana@example.com ; sam@example.com; "`,
      line('by dana@example.com, sam@example.com'),
    ],
  ],
  'a word too many': [
    ['subscribe', `${p} please`, `/subscribe ${p}`],
    ['subscribe', `the ${p}`, `/subscribe ${p}`],
    ['subscribe', `${p} itself itself`, line('itself')],
    ['subscribe', 'file 412-873-550 F200 itself', '/subscribe file 412-873-550 F200'],
    ['subscriptions', 'please', '/subscriptions'],
    ['unsubscribe', `${p} only added`, `/unsubscribe ${p}`],
    ['unsubscribe', `from ${p}`, `/unsubscribe ${p}`],
    ['unsubscribe', 'all of it', '/unsubscribe all'],
    ['unsubscribe', 'everything', '/unsubscribe all'],
    ['plancast', 'unmute now', '/plancast unmute'],
    ['plancast', 'status to me', '/plancast status'],
    ['subscribe', 'document 412-873-550 D300 itself', '/subscribe document 412-873-550 D300'],
    ['unsubscribe', 'file 412-873-550 F200 itself', '/unsubscribe file 412-873-550 F200'],
    ['unsubscribe', '*', '/unsubscribe all'],
    ['unsubscribe', 'everyone', '/unsubscribe all'],
    ['subscribe', `${p}${' please'.repeat(6)}`, `/subscribe ${p}`],
    ['subscribe', `${p} only in Plans/**`, line('in Plans/**')],
    ['subscribe', `${p} /`, `/subscribe ${p}`],
    ['subscribe', `${p} * threads`, line('threads')],
  ],
  'several at once': [
    [
      'plancast',
      `subscrbe projct 412-873-550 onyl added`,
      '/plancast subscribe project 412-873-550 only added',
    ],
    ['subscribe', 'projct 412-873-550 digest weekly threads yes', line('digest daily 09:00 threads on')],
    ['subscribe', `${p} as Harbour Tower only addd`, line('as "Harbour Tower" only added')],
    ['subscribe', `${p} not deleted`, line('only added,changed')],
    ['subscribe', `${p} not deleted and added threads`, line('only changed threads')],
    ['subscribe', `${p} digest to me`, line('digest daily 09:00 to me')],
    ['plancast', 'mute to me', '/plancast mute 2h to me'],
    ['subscribe', `${p} to #plans threads yes`, line('threads on')],
  ],
};

const cases = Object.entries(mistyped).flatMap(([kind, lines]) =>
  lines.map(([command, text, corrected]) => ({ kind, command, text, corrected })),
);

test('there are at least a hundred mistyped lines of twelve kinds', () => {
  expect(Object.keys(mistyped)).toHaveLength(12);
  expect(cases.length).toBeGreaterThanOrEqual(100);
});

test.each(cases)('$kind: /$command $text is answered with $corrected', ({ command, text, corrected }) => {
  const parsed = parseCommand(command, text, defaultNames, 'U0ME', here);
  expect(parsed).toMatchObject({ ok: false, mistake: { example: corrected } });
  const { correction } = parsed.ok ? { correction: null } : parsed.mistake;
  expect(correction).not.toBeNull();
});

test.each<[Command, string, string, string]>([
  ['subscribe', `${p} to #plans`, 'to #plans', `/subscribe ${p}`],
  ['subscribe', `${p} to <#C0PLANS|plans> only added`, 'to #plans', line('only added')],
  ['subscribe', `#plans ${p}`, '#plans', `/subscribe ${p}`],
  ['subscribe', `<#C0PLANS> to ${p}`, '#C0PLANS', `/subscribe ${p}`],
  ['subscribe', `${p} in #Plans`, 'in #Plans', `/subscribe ${p}`],
  ['unsubscribe', `${p} from <#C0PLANS|plans>`, 'from #plans', `/unsubscribe ${p}`],
  ['subscriptions', '#plans', '#plans', '/subscriptions'],
  ['plancast', 'mute #plans 2h', '#plans', '/plancast mute 2h'],
  ['plancast', 'mute 2h #plans', '#plans', '/plancast mute 2h'],
  ['plancast', 'why in <#C0PLANS|plans>', 'in #plans', '/plancast why'],
])(
  '/%s %s names this channel: %s is dropped, as in any other channel, but only here with a button',
  (...typed) => {
    const [command, text, word, corrected] = typed;
    const inChannel = (where: typeof here) => parseCommand(command, text, defaultNames, null, where);
    const expected = expect.stringContaining('no channel, since a command is for the channel it’s typed in');
    const mistake = { word, expected, example: corrected };
    expect(inChannel(here)).toMatchObject({
      ok: false,
      mistake: { ...mistake, correction: expect.anything() },
    });
    expect(inChannel({ channelId: 'C0OTHER', name: 'other' })).toMatchObject({
      ok: false,
      mistake: { ...mistake, correction: null },
    });
  },
);

test.each([
  [`${p} in "#plans"`, { filters: { paths: ['#plans'] } }],
  [`${p} in #plans/**`, { filters: { paths: ['#plans/**'] } }],
  [`${p} as #plans`, { name: '#plans' }],
  ['project #412-873-550', { target: { projectId: '412-873-550' } }],
  ['file 412-873-550 #F200', { target: { itemId: '#F200' } }],
])('/subscribe %s names no channel', (text, request) => {
  expect(parseCommand('subscribe', text, defaultNames, null, here)).toMatchObject({ ok: true, request });
});

test.each([
  [`${p} by dana`, line('by dana@example.com')],
  [`${p} by Dana Ek threads`, line('by dana.ek@example.com threads')],
  [`${p} @dana`, line('by dana@example.com')],
  [`${p} not by @dana only added`, line('not by dana@example.com only added')],
  [`${p} by Ian`, line('by ian@example.com')],
  [`${p} by Levi`, line('by levi@example.com')],
  [`${p} by ""`, line('by dana@example.com')],
  [`${p} by "me"`, line('by me@example.com')],
  [`${p} by me`, line('by me@example.com')],
  [`${p} by dana@`, line('by dana@example.com')],
  [`${p} by dana@ Ek`, line('by dana@example.com ek@example.com')],
  [`${p} by "(<@U2DANA>"`, line('by dana@example.com')],
  [`${p} by dana@@plans`, line('by dana@example.com')],
  [`${p} by "@dana@plans@"`, line('by dana@example.com')],
  [`${p} by @Dana Ek`, line('by dana.ek@example.com')],
  [`${p} by "Dana & Ek"`, line('by dana.ek@example.com')],
  [`${p} by "..Dana.."`, line('by dana@example.com')],
  [`${p} by dana;sam`, line('by dana.sam@example.com')],
  [`${p} by dana@example.com;sam`, line('by dana@example.com')],
  [`${p} by Dana Maria Ek Lund`, line('by dana.maria.ek@example.com lund@example.com')],
  [`${p} by Dana x1 2y`, line('by dana@example.com x1@example.com 2y@example.com')],
  [`${p} by ${'d'.repeat(60)}`, line(`by ${'d'.repeat(40)}@example.com`)],
  [`${p} by x&lt;@U2DANA&gt;`, line('by x@example.com')],
  [`${p} by &lt;@U2DANA&gt;x`, line('by dana@example.com')],
  [`${p} by (<@U2DANA>`, line('by dana@example.com')],
  [`${p} by <#C12AB|general>`, line('by dana@example.com')],
])('/subscribe %s shows where an address goes, and offers no button for an invented one', (text, shown) => {
  expect(parseCommand('subscribe', text)).toMatchObject({
    ok: false,
    mistake: { example: shown, correction: null },
  });
});

test.each([
  'banana',
  'project',
  'project 12345678',
  'file 412-873-550',
  `${p} in`,
  `${p} in "!/"`,
  `${p} in / in Plans`,
  `${p} by a@b.c not by a@b.c`,
  `${p} by a@b.c d@e.f not by a@b.c`,
  `${p} except added,changed,deleted`,
  `${p} digest hourly except all`,
  `${p} digest hourly except deleted except added`,
  `${p} not added,changed,deleted`,
  `${p} not only added`,
  `${p} in "${'x'.repeat(290)}" onyl added`,
  `${p}${' please'.repeat(7)}`,
  'session 731-450-286 Plans',
  'myproject412873550',
  'project412873550abc',
  'project ooo-ooo-ooo',
  'project 4O1-O2I-llO',
  'project 12345678O9',
  'project x2345678O9',
  'folder https://plans.example/sessions/412-873-550 F100',
])('/subscribe %s has no single correction, and is answered with a line that works', (text) => {
  const parsed = parseCommand('subscribe', text);
  expect(parsed).toMatchObject({ ok: false, mistake: { correction: null } });
  const example = parsed.ok ? '' : parsed.mistake.example;
  expect(parseCommand('subscribe', example.replace('/subscribe', ''))).toMatchObject({ ok: true });
});

test.each(['mu-t', 'do', 'unlite', 't', 'wyx', 'wxh', 'sxxuts', 'banana', 'status'.repeat(5)])(
  '/plancast %s is not near enough to one command to be taken for it',
  (typed) => {
    const parsed = parseCommand('plancast', typed);
    expect(parsed).toMatchObject({ ok: false, mistake: { meant: undefined, example: '/plancast help' } });
  },
);

test.each(['mute about 2h', 'mute 0.1m', 'mute 1.5m', 'mute 60.5 days', 'mute 900 days from now', 'mute ""'])(
  '/plancast %s is not a length of time, and nothing near it is one',
  (typed) => {
    expect(parseCommand('plancast', typed)).toMatchObject({
      ok: false,
      mistake: {
        expected: expect.stringContaining('how long'),
        example: '/plancast mute 2h',
        correction: null,
      },
    });
  },
);

test.each<[Command, string, string | undefined]>([
  ['subscribe', `${p} only dana@example.com`, 'by'],
  ['subscribe', `${p} only Plans/**`, 'in'],
  ['subscribe', `${p} digest weekly 9:00`, 'daily'],
  ['subscribe', `${p} threads yes`, 'on'],
  ['subscribe', `${p} threads no`, 'off'],
  ['plancast', 'status to me', undefined],
  ['subscribe', `${p} not added,changed,deleted`, undefined],
])('/%s %s is answered with the word that was probably meant: %s', (command, typed, meant) => {
  expect(parseCommand(command, typed)).toMatchObject({ ok: false, mistake: { meant } });
});

test.each([
  ['file 412-873-550 F200', 'only, in, by, not by, digest, live, threads, as or to me'],
  ['document 412-873-550 D300', 'only, in, by, not by, digest, live, threads, as or to me'],
  ['folder 412-873-550 F100', 'itself, only, in, by, not by, digest, live, threads, as or to me'],
])('what has no contents is not offered itself: /subscribe %s', (target, expected) => {
  expect(parseCommand('subscribe', `${target} thread on`)).toMatchObject({
    ok: false,
    mistake: { expected },
  });
});

test('/subscribe with "to me" after an option without its words says what is missing, and where', () => {
  const parsed = parseCommand('subscribe', `${p} in to me`, defaultNames, 'U0ME');
  expect(parsed).toMatchObject({ ok: false, mistake: { word: null, after: 'in' } });
});

test('an address is understood with the mailto: that comes along when it is copied', () => {
  const parsed = parseCommand('subscribe', `${p} by mailto:dana@example.com`);
  expect(parsed).toMatchObject({ request: { filters: { by: [{ email: 'dana@example.com' }] } } });
});
