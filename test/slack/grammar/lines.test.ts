import { expect, test } from 'vitest';
import { formatRequest } from '../../../src/core/model/format-request.ts';
import type { Request } from '../../../src/core/model/request.ts';
import { type Command, commandLine, defaultNames } from '../../../src/core/model/verbs.ts';
import { parseCommand } from '../../../src/slack/grammar/parse-command.ts';

const p = 'project 412-873-550';
const link = 'https://studio.example/projects/412873550';
const lineOf = (request: Request) => commandLine(formatRequest(request), defaultNames);

/** Returns how a line is answered, as the person reads it. */
function answered(command: Command, text: string): string {
  const parsed = parseCommand(command, text, { me: 'U0ME' });
  if (parsed.ok) return `runs ${lineOf(parsed.request)}`;
  const { understood, leftOut, faults, choices, lacks } = parsed.mistake;
  const isRun = understood && faults.length === 0;
  return [
    ...(understood ? [`${isRun ? 'offers' : 'understood'} ${lineOf(understood)}`] : []),
    ...(lacks ? [`no ${lacks}`] : []),
    ...faults.map(({ option, value }) =>
      value === null ? `${option} needs a value` : `${option} can’t be ${value}`,
    ),
    ...(leftOut === '' ? [] : [`left out ${leftOut}`]),
    ...(choices.length === 0 ? [] : [`buttons ${choices.map(({ words }) => words).join(' / ')}`]),
  ].join(' · ');
}

const openForm = 'buttons Open the form';

/** What an impatient person typed, from the first 25 lines on record. */
const onRecord: readonly (readonly [Command, string, string])[] = [
  ['subscribe', 'Harbour Tower', `no target · left out Harbour Tower · ${openForm}`],
  ['subscribe', 'harbour tower daily please', `no target · left out harbour tower please · ${openForm}`],
  ['subscribe', '412873550', 'runs /subscribe 412-873-550'],
  ['subscribe', `<#C0FACADE|facade> to ${p}`, `offers /subscribe ${p} · left out #facade to`],
  ['subscribe', `${p} weekly digest`, `runs /subscribe ${p} digest weekly monday 09:00`],
  [
    'subscribe',
    `${p} every monday at 8`,
    `offers /subscribe ${p} digest weekly monday 08:00 · left out every`,
  ],
  [
    'subscribe',
    'weekdays 8am project 538-204-917',
    'runs /subscribe project 538-204-917 digest daily 08:00 weekdays',
  ],
  [
    'subscribe',
    '<https://studio.example/projects/412873550?tab=files&amp;utm_source=mail#sheet=3> daily',
    `runs /subscribe ${p} digest daily 09:00`,
  ],
  [
    'subscribe',
    '<https://studio.example/projects/412873550/files/50214> thanks!',
    `offers /subscribe ${p} · left out thanks!`,
  ],
  ['subscribe', `(${link}).`, `runs /subscribe ${p}`],
  [
    'subscribe',
    `pls watch ${link}/Level%201/A-101.pdf thx 🙏`,
    `offers /subscribe ${p} · left out pls watch thx`,
  ],
  ['subscribe', '🏗️ 412-873-550', 'runs /subscribe 412-873-550'],
  ['subscribe', 'Projekt 412-873-550 täglich um 9 Uhr', `offers /subscribe ${p} · left out täglich um 9 Uhr`],
  [
    'subscribe',
    'プロジェクト 412-873-550 毎日 9時',
    'offers /subscribe 412-873-550 · left out プロジェクト 毎日 9時',
  ],
  [
    'subscribe',
    `${p} and ping @sam when something is deleted`,
    `understood /subscribe ${p} · ping can’t be @sam · left out and @sam when something is deleted`,
  ],
  [
    'subscribe',
    `${p} only PDFs`,
    `understood /subscribe ${p} · only can’t be PDFs · left out PDFs · buttons only added / only changed / only deleted`,
  ],
  ['subscribe', `${p} without deletes`, `runs /subscribe ${p} only added,changed`],
  ['subscribe', `${p} in "Plans/Level 1"`, `runs /subscribe ${p} in "Plans/Level 1"`],
  [
    'subscribe',
    `folder Level 1 in ${p}`,
    `understood /subscribe ${p} · in can’t be project · left out folder Level 1`,
  ],
  ['subscribe', '412-873-550 and 538-204-917', 'left out and · buttons 412-873-550 / 538-204-917'],
  ['unsubscribe', 'Riverside School', 'runs /unsubscribe'],
  ['unsubscribe', 'everything', 'runs /unsubscribe all'],
  ['plancast', 'mute A-101 Floor plan.pdf', 'mute can’t be A-101 · left out A-101 Floor plan.pdf'],
  [
    'plancast',
    'what changed last week in harbour tower',
    'no command · left out what changed last week in harbour tower · buttons Subscribe this channel / Show subscriptions / Show recent changes / Help',
  ],
  ['subscriptions', '<#C0PLANS|plans>', 'runs /subscriptions'],
];

/** Lines of the same kind. */
const alike: readonly (readonly [Command, string, string])[] = [
  ['subscribe', `${p} digest weekly fri 16:30`, `runs /subscribe ${p} digest weekly friday 16:30`],
  // The target, and options before it
  ['subscribe', `only added ${p}`, `runs /subscribe ${p} only added`],
  [
    'subscribe',
    `digest hourly except deleted ${link} threads`,
    `runs /subscribe ${p} digest hourly except deleted threads on`,
  ],
  ['subscribe', `in "Plans" ${link}`, `runs /subscribe ${p} in "Plans"`],
  ['subscribe', `in "Plans" by me 412-873-550 project`, `runs /subscribe ${p} in "Plans" by <@U0ME>`],
  ['subscribe', `to me ${p}`, `runs /subscribe ${p} to me`],
  ['subscribe', `${p} for me threads`, `runs /subscribe ${p} threads on to me`],
  ['subscribe', '412-873-550 session', 'runs /subscribe session 412-873-550'],
  ['subscribe', 'project number 412-873-550', `offers /subscribe ${p} · left out number`],
  ['subscribe', `project - 412 873 550`, `runs /subscribe ${p}`],
  ['subscribe', `${p} ${link}`, `runs /subscribe ${p}`],
  ['subscribe', `412-873-550, ${p}`, `runs /subscribe ${p}`],
  ['subscribe', `${p} session 731-450-286 live`, `buttons ${p} / session 731-450-286`],
  ['subscribe', '412-873-550,538204917', 'buttons 412-873-550 / 538-204-917'],
  [
    'subscribe',
    'project 412-873-550,731-450-286, pls',
    'left out pls · buttons project 412-873-550 / 731-450-286',
  ],
  ['subscribe', 'project 412,873,550', `runs /subscribe ${p}`],
  ['subscribe', `session ${link}`, 'buttons project 412-873-550 / session 412-873-550'],
  ['subscribe', '412873550/Plans only added', `no target · left out 412873550/Plans · ${openForm}`],
  ['subscribe', '412-873-55', `no target · left out 412-873-55 · ${openForm}`],
  ['subscribe', 'project', `no target · left out project · ${openForm}`],
  [
    'subscribe',
    'https://studio.example/12345',
    `no target · left out https://studio.example/12345 · ${openForm}`,
  ],
  ['subscribe', 'the meeting of tomorrow', `no target · left out the meeting of tomorrow · ${openForm}`],
  ['subscribe', '"Harbour Tower"', `no target · left out Harbour Tower · ${openForm}`],
  [
    'subscribe',
    `${p} only renamed by somebody`,
    `understood /subscribe ${p} · only can’t be renamed · by can’t be somebody · left out renamed somebody`,
  ],
  [
    'subscribe',
    '412-873-550 and 538-204-917 digest monthly',
    'subscribe can’t be 412-873-550 and 538-204-917 · digest can’t be monthly · left out and monthly',
  ],
  ['subscribe', 'H Block', `no target · left out H Block · ${openForm}`],
  ['subscribe', 'help me please', 'runs /plancast help subscribe'],
  ['subscribe', 'h', 'runs /plancast help subscribe'],
  ['subscribe', '🙏 !!!', 'runs /subscribe'],
  // Items
  ['subscribe', 'folder 412-873-550 F100 pls', 'offers /subscribe folder 412-873-550 F100 · left out pls'],
  ['subscribe', 'folder 412-873-550', 'folder 412-873-550 needs a value'],
  ['subscribe', 'folder 412-873-550 only added', 'folder 412-873-550 needs a value'],
  ['subscribe', 'folder 412-873-550 Plans/Level1', 'folder 412-873-550 can’t be Plans/Level1'],
  ['subscribe', 'file 412-873-550 F200 itself', 'runs /subscribe file 412-873-550 F200 itself'],
  ['subscribe', `files in ${p}`, `understood /subscribe ${p} · in can’t be project · left out files`],
  // Mentions
  ['subscribe', `${p} ping <@U0SAM|sam>`, `runs /subscribe ${p} ping <@U0SAM>`],
  [
    'subscribe',
    `ping <!subteam^S0CREW|@crew> on deleted and added ${p} threads on`,
    `runs /subscribe ${p} threads on ping <!subteam^S0CREW|@crew> on added,deleted`,
  ],
  ['subscribe', `${p} mention me on all`, `runs /subscribe ${p} ping <@U0ME> on added,changed,deleted`],
  ['subscribe', `${p} ping nobody`, `runs /subscribe ${p} ping off`],
  [
    'subscribe',
    `${p} and ping <@U0SAM|sam> when something is deleted`,
    `offers /subscribe ${p} ping <@U0SAM> · left out and when something is deleted`,
  ],
  [
    'subscribe',
    `${p} ping <!channel>`,
    `understood /subscribe ${p} · ping can’t be @channel · left out @channel`,
  ],
  ['subscribe', `${p} ping @nobody`, `understood /subscribe ${p} · ping can’t be @nobody · left out @nobody`],
  // Slips and synonyms
  ['subscribe', 'projct 412-873-550', `offers /subscribe ${p}`],
  ['subscribe', 'porject 412-873-550 onyl added', `offers /subscribe ${p} only added`],
  ['subscribe', `${p} tread on`, `offers /subscribe ${p} threads on`],
  ['subscribe', `${p} thread`, `runs /subscribe ${p} threads on`],
  ['subscribe', `${p} only addd`, `offers /subscribe ${p} only added`],
  ['subscribe', `${p} digest dialy 9:00`, `offers /subscribe ${p} digest daily 09:00`],
  ['subscribe', `${p} lvie`, `offers /subscribe ${p} live`],
  ['subscribe', `${p} bye dana@example.com`, `offers /subscribe ${p} · left out bye dana@example.com`],
  ['subscribe', `${p} inn "Plans"`, `offers /subscribe ${p} · left out inn Plans`],
  ['plancast', `subscrbe ${p}`, `offers /subscribe ${p}`],
  ['plancast', `follow ${p}`, `runs /subscribe ${p}`],
  ['plancast', 'pause 2h', 'runs /plancast mute 2h'],
  ['plancast', 'docter', 'runs /plancast doctor'],
  ['plancast', 'login', 'runs /plancast link'],
  ['plancast', `/unsubscribe ${p}`, `runs /unsubscribe ${p}`],
  // Event types
  ['subscribe', `${p} deleted`, `offers /subscribe ${p} · left out deleted`],
  [
    'subscribe',
    `${p} tell us what is added or changed`,
    `offers /subscribe ${p} · left out tell us what is added or changed`,
  ],
  ['subscribe', `${p} only added and deleted`, `runs /subscribe ${p} only added,deleted`],
  ['subscribe', `${p} only added, renamed`, `offers /subscribe ${p} only added · left out renamed`],
  [
    'subscribe',
    `${p} only renamed`,
    `understood /subscribe ${p} · only can’t be renamed · left out renamed · buttons only added / only changed / only deleted`,
  ],
  [
    'subscribe',
    `${p} only`,
    `understood /subscribe ${p} · only needs a value · buttons only added / only changed / only deleted`,
  ],
  ['subscribe', `${p} no deletions`, `runs /subscribe ${p} only added,changed`],
  [
    'subscribe',
    `${p} no threads`,
    `understood /subscribe ${p} threads on · without can’t be threads · buttons without added / without changed / without deleted`,
  ],
  [
    'subscribe',
    `${p} except deleted`,
    `understood /subscribe ${p} · except needs a value · buttons only added,changed / digest daily 09:00 except deleted`,
  ],
  [
    'subscribe',
    `${p} digest hourly except weekends`,
    `understood /subscribe ${p} digest hourly · except can’t be weekends · left out weekends · buttons digest hourly except added / digest hourly except changed / digest hourly except deleted`,
  ],
  // When
  [
    'subscribe',
    `${p} digest`,
    `understood /subscribe ${p} · digest needs a value · buttons digest hourly / digest daily 09:00 / digest weekly monday 09:00`,
  ],
  [
    'subscribe',
    `${p} digest monthly`,
    `understood /subscribe ${p} · digest can’t be monthly · left out monthly · buttons digest hourly / digest daily 09:00 / digest weekly monday 09:00`,
  ],
  ['subscribe', `${p} digest daily`, `runs /subscribe ${p} digest daily 09:00`],
  ['subscribe', `${p} pls daily at noon thx`, `offers /subscribe ${p} digest daily 12:00 · left out pls thx`],
  [
    'subscribe',
    `${p} digest daily 8:00 (america/new_york)`,
    `runs /subscribe ${p} digest daily 08:00 (America/New_York)`,
  ],
  ['subscribe', `${p} digest daily 17`, `offers /subscribe ${p} digest daily 17:00`],
  ['subscribe', `daily at 9 ${p}`, `offers /subscribe ${p} digest daily 09:00`],
  ['subscribe', `${p} digest at 9`, `offers /subscribe ${p} digest daily 09:00`],
  [
    'subscribe',
    `${p} digest daily 25`,
    `understood /subscribe ${p} digest daily 09:00 · digest daily can’t be 25 · left out 25 · buttons digest daily 09:00`,
  ],
  ['subscribe', `${p} at 9`, `offers /subscribe ${p} · left out at 9`],
  ['subscribe', `${p} digest täglich 9:00`, `offers /subscribe ${p} digest daily 09:00 · left out täglich`],
  ['subscribe', `${p} at 9:00`, `offers /subscribe ${p} · left out at 9:00`],
  ['subscribe', `${p} digest hourly live`, `offers /subscribe ${p} digest hourly · left out live`],
  [
    'subscribe',
    `${p} digest hourly 9:00 (UTC)`,
    `offers /subscribe ${p} digest hourly · left out 9:00 (UTC)`,
  ],
  ['subscribe', `${p} now`, `offers /subscribe ${p} · left out now`],
  // Folders, people, names
  [
    'subscribe',
    `${p} in Plans and tell Sam`,
    `understood /subscribe ${p} · in can’t be Plans · left out Plans and tell Sam`,
  ],
  [
    'subscribe',
    `${p} in Plans/Level1, *.pdf and !Old drawings`,
    `offers /subscribe ${p} in "Plans/Level1" "*.pdf" "!Old" · left out drawings`,
  ],
  ['subscribe', `${p} in Plans › Details`, `runs /subscribe ${p} in "Plans/Details"`],
  ['subscribe', `${p} in Plans/Level 1/A-101.pdf`, `runs /subscribe ${p} in "Plans/Level" "1/A-101.pdf"`],
  ['subscribe', `${p} in Plans › Level 1 › A.pdf`, `runs /subscribe ${p} in "Plans/Level" "1/A.pdf"`],
  ['subscribe', `${p} in Plans/A, Plans/B and Old/C`, `runs /subscribe ${p} in "Plans/A" "Plans/B" "Old/C"`],
  [
    'subscribe',
    `${p} in Plans/A.pdf Plans/B/ *.dwg`,
    `runs /subscribe ${p} in "Plans/A.pdf" "Plans/B/" "*.dwg"`,
  ],
  ['subscribe', `${p} in Plans › Ground floor`, `offers /subscribe ${p} in "Plans/Ground" · left out floor`],
  ['subscribe', `${p} "Plans/Level 1"`, `offers /subscribe ${p} · left out Plans/Level 1`],
  ['subscribe', `${p} by Dana`, `understood /subscribe ${p} · by can’t be Dana · left out Dana`],
  [
    'subscribe',
    `${p} by dana@example.com, Sam and <@U0LEE>`,
    `offers /subscribe ${p} by dana@example.com · left out Sam and <@U0LEE>`,
  ],
  [
    'subscribe',
    `${p} by dana@example.com; (lee@example.com), me!`,
    `runs /subscribe ${p} by dana@example.com lee@example.com <@U0ME>`,
  ],
  ['subscribe', `${p} in "! Details"`, `runs /subscribe ${p} in "!Details"`],
  ['subscribe', `${p} in ""`, `understood /subscribe ${p} · in needs a value`],
  ['subscribe', `${p} as “ ”`, `understood /subscribe ${p} · as needs a value`],
  ['subscribe', `${p} by me not by me`, `runs /subscribe ${p} by <@U0ME> not by <@U0ME>`],
  ['subscribe', `${p} as Harbour Tower`, `offers /subscribe ${p} as "Harbour" · left out Tower`],
  ['subscribe', `${p} threads on off`, `offers /subscribe ${p} threads on · left out off`],
  ['subscribe', `${p} tell <@U0SAM>`, `offers /subscribe ${p} · left out tell <@U0SAM>`],
  // The other commands
  ['unsubscribe', `from ${p} please`, `offers /unsubscribe ${p} · left out from please`],
  ['unsubscribe', `all ${p}`, `buttons ${p} / all`],
  ['unsubscribe', 'all of it', 'offers /unsubscribe all · left out of it'],
  ['plancast', 'stop spamming me', 'runs /unsubscribe'],
  ['subscriptions', 'mine', 'runs /subscriptions to me'],
  ['plancast', 'mute A-101.pdf', 'mute can’t be A-101.pdf · left out A-101.pdf'],
  ['plancast', 'mute', 'mute needs a value · buttons mute 1h / mute 4h / mute 1d'],
  [
    'plancast',
    'mute until monday',
    'mute can’t be monday · left out monday · buttons mute 1h / mute 4h / mute 1d',
  ],
  [
    'plancast',
    'mute for the weekend',
    'mute can’t be the weekend · left out the weekend · buttons mute 1h / mute 4h / mute 1d',
  ],
  [
    'plancast',
    'mute A-101.pdf for the weekend',
    'mute can’t be A-101.pdf · left out A-101.pdf for the weekend',
  ],
  ['plancast', 'quiet hours', 'runs /plancast quiet'],
  ['plancast', 'quiet off', 'runs /plancast quiet off'],
  [
    'plancast',
    'quiet no weekends',
    'quiet can’t be weekends and off · buttons quiet 18:00-07:00 / quiet off',
  ],
  [
    'plancast',
    'quiet weekends off',
    'quiet can’t be weekends and off · buttons quiet 18:00-07:00 / quiet off',
  ],
  [
    'plancast',
    'quiet off except deleted',
    'quiet can’t be except and off · buttons quiet 18:00-07:00 except deleted / quiet off',
  ],
  ['plancast', 'quiet hours from 22 to 7', 'offers /plancast quiet 22:00-07:00'],
  ['plancast', 'follow Quiet Waters', `no target · left out Quiet Waters · ${openForm}`],
  ['plancast', 'watch Export Hall', `no target · left out Export Hall · ${openForm}`],
  [
    'plancast',
    'follow 412-873-550 and mute deletions',
    'offers /subscribe 412-873-550 · left out and mute deletions',
  ],
  ['plancast', 'show settings', 'runs /plancast settings'],
  ['plancast', 'add link', 'runs /plancast link'],
  ['plancast', 'hilfe', 'runs /plancast help'],
  ['plancast', 'mute 2', 'mute can’t be 2 · left out 2 · buttons mute 2h / mute 2m'],
  ['plancast', 'mute 31d', 'mute can’t be 31d · buttons mute 30d'],
  ['plancast', 'mute this channel for 2 hours pls', 'offers /plancast mute 2h · left out this channel pls'],
  ['plancast', 'please unmute', 'offers /plancast unmute · left out please'],
  ['plancast', 'why did I get this?', 'runs /plancast why'],
  ['plancast', `${p} live`, `offers /subscribe ${p} live`],
  ['plancast', `only added ${p} subscribe`, `runs /subscribe ${p} only added`],
  ['plancast', `pls to me unsubscribe ${p}`, `offers /unsubscribe ${p} to me · left out pls`],
  [
    'plancast',
    'search concrete',
    'no command · left out search concrete · buttons Subscribe this channel / Show subscriptions / Show recent changes / Help',
  ],
  [
    'plancast',
    'sing a song',
    'no command · left out sing a song · buttons Subscribe this channel / Show subscriptions / Show recent changes / Help',
  ],
  ['plancast', 'link 12', 'link can’t be 12 · left out 12'],
];

test.each(onRecord)('/%s %s', (command, text, answer) => {
  expect(answered(command, text)).toBe(answer);
});

test.each(alike)('/%s %s, too', (command, text, answer) => {
  expect(answered(command, text)).toBe(answer);
});

test('there are 25 lines on record and 75 like them', () => {
  expect(onRecord).toHaveLength(25);
  expect(alike.length).toBeGreaterThanOrEqual(75);
});

const tower = { kind: 'project', projectId: '412-873-550' } as const;
const school = { kind: 'project', projectId: '538-204-917' } as const;
const review = { kind: 'session', sessionId: '731-450-286' } as const;
/** Names that the person may be shown, as they are looked up. */
const names = new Map([
  ['harbour tower', [tower]],
  ['harbour', [school]],
  ['live', [school]],
  ['only added tower', [review]],
  ['site', [tower, school]],
  ['café/north', [review]],
]);

test.each([
  ['Harbour Tower', '/subscribe project 412-873-550'],
  ['the harbour, please', '/subscribe project 538-204-917'],
  ['daily HARBOUR  tower only deleted', '/subscribe project 412-873-550 only deleted digest daily 09:00'],
  ['Only added tower', '/subscribe session 731-450-286'],
  ['“live”', '/subscribe project 538-204-917'],
  ['Cafe\u0301 › North', '/subscribe session 731-450-286'],
  ['412-873-550 Harbour Tower', '/subscribe project 412-873-550'],
  ['project 412-873-550 harbour', '/subscribe project 412-873-550'],
  ['live', null],
  ['in Harbour Tower', null],
  ['as Harbour Tower', null],
  ['by me Harbour Tower', null],
  ['site', null],
] as const)('with names to know, /subscribe %s is understood as %s', (text, understood) => {
  const parsed = parseCommand('subscribe', text, { me: 'U0ME', names });
  const request = parsed.ok ? parsed.request : parsed.mistake.understood;
  expect(request && lineOf(request)).toBe(understood);
});

test.each([
  ['project Harbour Tower', ''],
  ['“Harbour Tower” project only added', ''],
  ['session Harbour Tower', 'session'],
])('with names to know, /subscribe %s leaves out “%s”', (text, leftOut) => {
  const parsed = parseCommand('subscribe', text, { names });
  expect(parsed.ok ? '' : parsed.mistake.leftOut).toBe(leftOut);
});
