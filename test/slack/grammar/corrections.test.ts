import { expect, test } from 'vitest';
import { type Command, defaultNames } from '../../../src/core/model/commands.ts';
import { parseCommand } from '../../../src/slack/grammar/parse-command.ts';

const p = 'project 412-873-550';
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
    ['subscribe', 'session https://x.example/projects/412-873-550', `/subscribe ${p}`],
    ['subscribe', 'directory 412-873-550 F100', '/subscribe folder 412-873-550 F100'],
  ],
  'a slip in an option': [
    ['subscribe', `${p} onyl added`, line('only create')],
    ['subscribe', `${p} thread on`, line('threads on')],
    ['subscribe', `${p} threads yes`, line('threads on')],
    ['subscribe', `${p} threads no`, line('threads off')],
    ['subscribe', `${p} itslef`, line('itself')],
    ['subscribe', `${p} lvie`, line('live')],
    ['subscribe', `${p} only addd`, line('only create')],
    ['subscribe', `${p} only added,deletd`, line('only create,delete')],
    ['subscribe', `${p} only moved and renamed`, line('only update')],
    ['subscribe', `${p} only uploads`, line('only create')],
  ],
  'an option without its word': [
    ['subscribe', `${p} added`, line('only create')],
    ['subscribe', `${p} added, deleted threads`, line('only create,delete threads on')],
    ['subscribe', `${p} dana@example.com`, line('by dana@example.com')],
    ['subscribe', `${p} <@U2DANA|dana>`, line('by <@U2DANA>')],
    ['subscribe', `${p} me`, line('by <@U0ME>')],
    ['subscribe', `${p} hourly`, line('digest hourly')],
    ['subscribe', `${p} daily 9:00`, line('digest daily 09:00')],
    ['subscribe', `${p} 9:00`, line('digest daily 09:00')],
    ['subscribe', `${p} weekdays`, line('digest daily 09:00 weekdays')],
    ['subscribe', `${p} not dana@example.com`, line('not by dana@example.com')],
  ],
  'a digest': [
    ['subscribe', `${p} digest`, line('digest daily 09:00')],
    ['subscribe', `${p} digest daily`, line('digest daily 09:00')],
    ['subscribe', `${p} digest weekly`, line('digest daily 09:00')],
    ['subscribe', `${p} digest weekly monday 8:00`, line('digest daily 08:00')],
    ['subscribe', `${p} digest every day at 9:00`, line('digest daily 09:00')],
    ['subscribe', `${p} digest every hour`, line('digest hourly')],
    ['subscribe', `${p} digest hourley`, line('digest hourly')],
    ['subscribe', `${p} digest 17:30`, line('digest daily 17:30')],
    ['subscribe', `${p} digest none`, line('digest off').replace('digest off', 'live')],
    ['subscribe', `${p} digest daily threads`, line('digest daily 09:00 threads on')],
    ['subscribe', `${p} digest hourly weekdays`, line('digest hourly')],
    ['subscribe', `${p} except deleted`, line('only create,update')],
  ],
  'a time': [
    ['subscribe', `${p} digest daily 9`, line('digest daily 09:00')],
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
  ],
  'a bare folder name': [
    ['subscribe', `${p} Plans`, line('in "Plans/**"')],
    ['subscribe', `${p} Level 1`, line('in "Level 1/**"')],
    ['subscribe', `${p} Plans only added`, line('only create in "Plans/**"')],
    ['subscribe', `${p} "Level 1"`, line('in "Level 1/**"')],
    ['subscribe', `${p} Plans/Level1`, line('in "Plans/Level1/**"')],
    ['subscribe', `${p} *.pdf`, line('in "*.pdf"')],
    ['subscribe', `${p} inn Plans/**`, line('in "Plans/**"')],
    ['subscribe', `${p} only Plans/**`, line('in "Plans/**"')],
    ['subscribe', `${p} not in Archive`, line('in "!Archive/**"')],
    ['subscribe', `${p} except Archive`, line('in "!Archive/**"')],
    ['subscribe', 'folder 412-873-550 Plans/Level1', line('in "Plans/Level1/**"')],
  ],
  'a person': [
    ['subscribe', `${p} by myself`, line('by <@U0ME>')],
    ['subscribe', `${p} by everyone`, line('by anyone')],
    ['subscribe', `${p} not by anyone`, line('not by nobody')],
    ['subscribe', `${p} from dana@example.com`, line('by dana@example.com')],
    ['subscribe', `${p} by dana@example.com;sam@example.com`, line('by dana@example.com sam@example.com')],
    ['subscribe', `${p} except dana@example.com`, line('not by dana@example.com')],
    ['subscribe', `${p} except by dana@example.com`, line('not by dana@example.com')],
    ['subscribe', `${p} without by dana@example.com`, line('not by dana@example.com')],
    ['subscribe', `${p} only by dana@example.com`, line('by dana@example.com')],
    ['subscribe', `${p} only <@U2DANA>`, line('by <@U2DANA>')],
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
    ['subscribe', `${p} only in Plans/**`, line('in "Plans/**"')],
  ],
  'several at once': [
    ['plancast', `subscrbe projct 412-873-550 onyl added`, `/plancast subscribe ${p} only create`],
    ['subscribe', 'projct 412-873-550 digest weekly threads yes', line('digest daily 09:00 threads on')],
    ['subscribe', `${p} as Harbour Tower only addd`, line('only create as "Harbour Tower"')],
    ['subscribe', `${p} not deleted`, line('only create,update')],
    ['subscribe', `${p} digest to me`, line('digest daily 09:00 to me')],
    ['plancast', 'mute to me', '/plancast mute 2h to me'],
  ],
};

const cases = Object.entries(mistyped).flatMap(([kind, lines]) =>
  lines.map(([command, text, corrected]) => ({ kind, command, text, corrected })),
);

test('there are at least a hundred mistyped lines of ten kinds', () => {
  expect(Object.keys(mistyped)).toHaveLength(10);
  expect(cases.length).toBeGreaterThanOrEqual(100);
});

test.each(cases)('$kind: /$command $text is answered with $corrected', ({ command, text, corrected }) => {
  const parsed = parseCommand(command, text, defaultNames, 'U0ME');
  expect(parsed).toMatchObject({ ok: false, mistake: { example: corrected } });
  const { correction } = parsed.ok ? { correction: null } : parsed.mistake;
  expect(correction).not.toBeNull();
});

test.each([
  [`${p} by dana`, line('by dana@example.com')],
  [`${p} by Dana Ek threads`, line('by dana.ek@example.com threads on')],
  [`${p} @dana`, line('by dana@example.com')],
  [`${p} not by @dana only added`, line('only create not by dana@example.com')],
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
  `${p} by a@b.c not by a@b.c`,
])('/subscribe %s has no single correction, and is answered with a line that works', (text) => {
  const parsed = parseCommand('subscribe', text);
  expect(parsed).toMatchObject({ ok: false, mistake: { correction: null } });
  const example = parsed.ok ? '' : parsed.mistake.example;
  expect(parseCommand('subscribe', example.replace('/subscribe', ''))).toMatchObject({ ok: true });
});
