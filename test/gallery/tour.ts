import { drawOne } from '../../sandbox/demo/page/gallery.ts';
import { type Html, html } from '../../sandbox/demo/page/html.ts';
import { icon } from '../../sandbox/demo/page/icons.ts';
import { renderMessage } from '../../sandbox/demo/page/message.ts';
import type { Surface } from '../../sandbox/demo/page/render-blocks.ts';
import { fieldsListOf, fieldsOf } from '../../sandbox/slack/json.ts';
import type { Change } from '../../src/core/model/change.ts';
import { renderActivity } from '../../src/messages/activity/activity.ts';
import { type HomeRow, homeView } from '../../src/messages/home/home.ts';
import type { Message } from '../../src/messages/text/message.ts';
import { happenedAt, makeChange, now } from '../messages/changes.ts';
import { copy, galleryCases } from '../messages/gallery-cases.ts';

/** Draws the pictures of the README: the same project in a channel, a form, a digest and Home. */
export function drawTour(): { readonly title: string; readonly picture: Html }[] {
  return [
    { title: 'A channel', picture: drawChannel() },
    { title: 'Subscribing', picture: drawOne(caseOf('The form, with a project by its name'), surface) },
    { title: 'A morning digest', picture: drawOne(fieldsOf(digest()), surface) },
    { title: 'Everything I follow', picture: drawOne(fieldsOf(home()), surface) },
  ];
}

const channelNames = { C0PLANS001: 'plans', C0HARBOUR1: 'plans', C0DIGEST01: 'morning-digest' };
const surface: Surface = {
  id: 'tour',
  reader: {
    zone: 'UTC',
    now,
    users: [],
    channels: Object.entries(channelNames).map(([id, name]) => ({ id, name })),
  },
  choices: { users: [], channels: [] },
};

const sam = { actorName: 'Sam Okafor', actorEmail: 'sam@example.com' };
const schedule = 'A-103 Door schedule.pdf';
const doors = 'A-103 Doors.pdf';
const levelOne = ['Plans', 'Level 1'];
const details = ['Details'];
const sheets = Array.from({ length: 48 }, (_, index) => ({
  name: `A-3${String(index + 1).padStart(2, '0')} Level 3.pdf`,
  folder: ['Plans', 'Level 3'],
}));

/** One afternoon in the channel: minutes after its start, and what Plancast posts then. */
const afternoon: readonly (readonly [number, readonly Partial<Change>[]])[] = [
  [4, [{ name: schedule }]],
  [6, [{ verb: 'renamed', name: doors, previousName: schedule, ...sam }]],
  [11, [{ verb: 'moved', name: doors, folder: details, previousFolder: levelOne, ...sam }]],
  [19, [{ verb: 'updated', name: doors, folder: details }]],
  [32, sheets],
  [41, [{ verb: 'deleted', name: 'D-01 Stair.pdf', folder: details, ...sam }]],
];

function drawChannel(): Html {
  const posts = afternoon.map(([minutes, changes]) =>
    post(
      minutes,
      renderActivity({
        changes: stored(changes, minutes),
        now: after(minutes),
        mode: 'live',
      }),
    ),
  );
  const beginning = caseOf('Subscribed to a project') as Message;
  return html`<div class="picture channel"><header class="channel-head"><h1>${icon('hash')}plans</h1></header><div class="log"><ol class="messages">${[post(0, beginning), ...posts]}</ol></div></div>`;
}

/** Returns the digest of the same afternoon, posted the next morning. */
function digest(): Message {
  const changes = afternoon
    .filter(([, { length }]) => length === 1)
    .flatMap(([minutes, some]) => stored(some, minutes));
  const since = new Date('2026-11-19T09:00:00Z');
  return renderActivity({ changes, now, mode: 'summary', because: 'digest', since });
}

function home() {
  const dana = { userId: 'U0DANAEK01', name: 'Dana Ek' };
  const everything = { only: [], paths: [], by: [], notBy: [] };
  const row = { owner: dana, state: 'active', lastEventAt: happenedAt, comprehensive: true } as const;
  const tower = { kind: 'project', projectId: '123-456-789' } as const;
  const review = { kind: 'session', sessionId: '987-654-321' } as const;
  const rows: HomeRow[] = [
    {
      ...row,
      id: 'tour-1',
      channelId: 'C0PLANS001',
      subscribed: { target: tower, name: 'Harbour Tower', comprehensive: true },
      settings: { filters: everything, delivery: { when: 'live' }, threads: false },
    },
    {
      ...row,
      id: 'tour-2',
      channelId: 'C0PLANS001',
      subscribed: { target: review, name: 'Weekly review', comprehensive: true },
      settings: {
        filters: { ...everything, only: ['create', 'delete'] },
        delivery: { when: 'live' },
        threads: false,
      },
    },
    {
      ...row,
      id: 'tour-3',
      channelId: 'C0DIGEST01',
      subscribed: {
        target: { ...tower, projectId: '222-333-444' },
        name: 'Riverside School',
        comprehensive: true,
      },
      settings: {
        filters: everything,
        delivery: { when: 'daily', at: '09:00', zone: 'UTC' },
        threads: false,
      },
    },
  ];
  const link = {
    state: 'active',
    account: 'dana.ek@example.com',
    linkedAt: new Date('2026-11-03T08:00:00Z'),
  } as const;
  return homeView({ link, rows, page: 0, channelsKnown: true, admin: false, copy });
}

/** Returns what a case of the gallery shows. */
function caseOf(title: string) {
  const found = galleryCases.find((one) => one.title === title);
  if (found === undefined) throw new Error(`the gallery has no case called ${title}`);
  return fieldsOf(JSON.parse(JSON.stringify(found.message)));
}

function stored(changes: readonly Partial<Change>[], minutes: number): Change[] {
  return changes.map((change, index) =>
    makeChange({
      happenedAt: after(minutes),
      eventId: `${minutes}${index}`,
      url: change.verb === 'deleted' ? null : 'https://planroom.example/123-456-789/items/42',
      ...change,
    }),
  );
}

function post(minutes: number, { text, blocks }: Message): Html {
  const id = `tour-${minutes}`;
  const message = {
    id,
    ts: id,
    threadTs: null,
    ephemeral: false,
    text,
    blocks: fieldsListOf(blocks),
    attachments: [],
    author: { name: 'Plancast', isBot: true },
    edits: 0,
    postedAt: after(minutes).getTime(),
    via: 'bot',
  };
  return renderMessage(message, { ...surface, id });
}

function after(minutes: number): Date {
  return new Date(happenedAt.getTime() + minutes * 60_000);
}
