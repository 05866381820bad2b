import type { ModalView } from '@slack/types';
import type { Filters } from '../../src/core/subscription.ts';
import { type Activity, renderActivity } from '../../src/messages/activity.ts';
import {
  channelMuted,
  channelUnmuted,
  subscriptionChanged,
  subscriptionEnded,
  subscriptionMade,
  subscriptionPaused,
  subscriptionResumed,
  subscriptionsRemoved,
  subscriptionTakenOver,
} from '../../src/messages/announcements.ts';
import {
  alreadyGone,
  alreadySubscribed,
  cannotPost,
  kindQuestion,
  nothingToRemove,
  notMuted,
  notUnderstood,
  overlapQuestion,
  refused,
  serviceError,
  timeZoneNote,
  tooManyTries,
  unexpectedError,
  unsubscribeAllQuestion,
} from '../../src/messages/answers.ts';
import { help } from '../../src/messages/help.ts';
import {
  alreadyLinked,
  codeNotTaken,
  linkCodeModal,
  linked,
  linkOffer,
  linkReceipt,
  linkStatus,
  nothingToUnlink,
  replaceAccountQuestion,
  unlinked,
  unlinkQuestion,
} from '../../src/messages/linking.ts';
import { type ListedSubscription, subscriptionList } from '../../src/messages/lists.ts';
import type { Message } from '../../src/messages/message.ts';
import { showAllGone, showAllView } from '../../src/messages/show-all.ts';
import type { Pause, PauseReason, Settings, Subscribed, Wording } from '../../src/messages/words.ts';
import { happenedAt, makeChange, minutesAgo, now, weeklyReview } from './changes.ts';

/** One message or form that the bot can show, with values as they are in a real project. */
export type GalleryCase = { readonly title: string; readonly message: Message | ModalView };

const wording: Wording = {
  serviceName: 'Planroom',
  commands: {
    subscribe: '/subscribe',
    unsubscribe: '/unsubscribe',
    subscriptions: '/subscriptions',
    plancast: '/plancast',
  },
};

const dana = { userId: 'U0DANAEK01', name: 'Dana Ek' };
const max = { userId: 'U0MAXROTH1', name: 'Max Roth' };

const tower: Subscribed = {
  target: { kind: 'project', projectId: '123-456-789' },
  name: 'Harbour Tower',
  comprehensive: true,
};
const towerItself: Subscribed = { ...tower, comprehensive: false };
const unnamed: Subscribed = {
  target: { kind: 'project', projectId: '222-333-444' },
  name: null,
  comprehensive: true,
};
const review: Subscribed = {
  target: { kind: 'session', sessionId: '987-654-321' },
  name: 'Weekly review',
  comprehensive: true,
};
const folder: Subscribed = {
  target: { kind: 'folder', projectId: '123-456-789', itemId: '58301244' },
  name: 'Level 1',
  comprehensive: false,
};
const file: Subscribed = {
  target: { kind: 'file', projectId: '123-456-789', itemId: '58301377' },
  name: null,
  comprehensive: false,
};
const document: Subscribed = {
  target: { kind: 'document', sessionId: '987-654-321', documentId: '4410' },
  name: 'Site plan.pdf',
  comprehensive: false,
};

const noFilters: Filters = { only: [], paths: [], by: [], notBy: [] };
const everything: Settings = { filters: noFilters, delivery: { when: 'live' }, threads: false };
const narrow: Settings = {
  filters: {
    only: ['create', 'delete'],
    paths: ['Plans/Level 1/**', '!**/*.bak'],
    by: [],
    notBy: [{ email: 'scanner@example.com' }, { userId: max.userId }],
  },
  delivery: { when: 'daily', at: '09:00', zone: 'Europe/Stockholm' },
  threads: true,
  names: new Map([[max.userId, max.name]]),
};

function live(changes: Activity['changes'], more: Partial<Activity> = {}): Message {
  return renderActivity({ changes, now, mode: 'live', showAllValue: '41', ...more });
}

const sessionChange = makeChange({
  verb: 'session changed',
  kind: 'session',
  resourceType: 'Sessions',
  eventType: 'Update',
  name: 'Weekly review',
  folder: null,
  within: weeklyReview,
});

const uploads = Array.from({ length: 24 }, (_, index) =>
  makeChange({
    name: `A-${101 + index}_Plan_rev_B.pdf`,
    happenedAt: new Date(happenedAt.getTime() + index * 4_000),
  }),
);

const busyMorning = [
  ...uploads,
  makeChange({
    verb: 'new version',
    eventType: 'Update',
    name: 'Schedule.xlsx',
    folder: ['Admin'],
    actorName: 'Max Roth',
    actorEmail: 'max@example.com',
  }),
  makeChange({ verb: 'added', kind: 'folder', name: 'Level 2', folder: ['Plans'] }),
  makeChange({
    verb: 'deleted',
    eventType: 'Delete',
    name: 'Old stairs.pdf',
    actorName: null,
    actorEmail: 'lee@contractor.example',
  }),
  makeChange({
    verb: 'deleted',
    eventType: 'Delete',
    name: 'Old lift.pdf',
    actorName: null,
    actorEmail: 'lee@contractor.example',
  }),
];

const sentences: readonly GalleryCase[] = [
  { title: 'A file added', message: live([makeChange()]) },
  {
    title: 'A folder added',
    message: live([makeChange({ kind: 'folder', name: 'Level 2', folder: ['Plans'] })]),
  },
  {
    title: 'A file renamed',
    message: live([makeChange({ verb: 'renamed', previousName: 'Level 1.pdf', name: 'Level 01.pdf' })]),
  },
  {
    title: 'A file moved',
    message: live([makeChange({ verb: 'moved', previousFolder: ['Inbox'] })]),
  },
  {
    title: 'A file renamed and moved',
    message: live([
      makeChange({
        verb: 'renamed and moved',
        previousName: 'scan0031.pdf',
        name: 'Level 01.pdf',
        previousFolder: ['Inbox'],
      }),
    ]),
  },
  { title: 'A new version of a file', message: live([makeChange({ verb: 'new version' })]) },
  { title: 'A file updated, no more is known', message: live([makeChange({ verb: 'updated' })]) },
  { title: 'A file deleted', message: live([makeChange({ verb: 'deleted' })]) },
  {
    title: 'A project renamed',
    message: live([
      makeChange({
        verb: 'renamed',
        kind: 'project',
        previousName: 'Harbor Tower',
        name: 'Harbour Tower',
        folder: null,
      }),
    ]),
  },
  { title: 'A session changed', message: live([sessionChange]) },
  {
    title: 'A document added to a session',
    message: live([
      makeChange({ kind: 'document', name: 'Site plan.pdf', folder: null, within: weeklyReview }),
    ]),
  },
  {
    title: 'By an e-mail address Slack does not know',
    message: live([makeChange({ actorName: null })]),
  },
  {
    title: 'By nobody known, without a name, of a kind that is not known',
    message: live([
      makeChange({
        verb: 'other',
        kind: 'other',
        resourceType: 'Markups',
        eventType: 'Archive',
        name: null,
        folder: null,
        actorName: null,
        actorEmail: null,
      }),
    ]),
  },
  {
    title: 'Told late',
    message: live([makeChange({ happenedAt: minutesAgo(19 * 60) })]),
  },
  {
    title: 'A followed session deleted',
    message: live([{ ...sessionChange, verb: 'deleted', eventType: 'Delete' }], { endedSubscription: true }),
  },
  {
    title: 'A name that tries to be markup',
    message: live([
      makeChange({ name: '<!channel> *urgent* `x` invoice\u202Efdp.exe', actorName: '<@U1> :boom:' }),
    ]),
  },
];

const cards: readonly GalleryCase[] = [
  { title: 'An upload of 24 files', message: live(uploads) },
  { title: 'A busy minute', message: live(busyMorning) },
  {
    title: 'A busy minute in two places',
    message: live([...busyMorning.slice(20), sessionChange]),
  },
  {
    title: 'A daily digest',
    message: renderActivity({
      changes: busyMorning,
      now,
      mode: 'summary',
      because: 'digest',
      since: minutesAgo(24 * 60),
      showAllValue: '42',
    }),
  },
  {
    title: 'After a mute, with something left out',
    message: renderActivity({
      changes: busyMorning.slice(24),
      now,
      mode: 'summary',
      because: 'muted',
      since: minutesAgo(8 * 24 * 60),
      leftOut: 12,
    }),
  },
  {
    title: 'After a pause in which nothing was kept',
    message: renderActivity({ changes: [], now, mode: 'summary', because: 'paused', leftOut: 1 }),
  },
  { title: 'Show all', message: showAllView({ changes: busyMorning, page: 0, metadata: '42' }) },
  {
    title: 'Show all, second page',
    message: showAllView({
      changes: Array.from({ length: 3_000 }, (_, index) =>
        makeChange({ name: `Sheet ${index + 1} of the tender documents.pdf` }),
      ),
      page: 1,
      metadata: '42',
    }),
  },
  { title: 'Show all, too late', message: showAllGone() },
];

const pauseReasons: readonly PauseReason[] = [
  'not in channel',
  'channel archived',
  'posting restricted',
  'workspace access',
  'link lost',
  'unlinked',
  'owner gone',
  'no access',
  'not sent any more',
];

const mending = { wording, botName: 'plancast', toFollow: '/subscribe project 123-456-789' };

const announcements: readonly GalleryCase[] = [
  {
    title: 'Subscribed to a project',
    message: subscriptionMade({
      by: dana,
      subscribed: tower,
      settings: everything,
      toStop: '/unsubscribe project 123-456-789',
    }),
  },
  {
    title: 'Subscribed with filters and a digest',
    message: subscriptionMade({
      by: dana,
      subscribed: unnamed,
      settings: narrow,
      toStop: '/unsubscribe project 222-333-444',
    }),
  },
  {
    title: 'Subscribed to a document',
    message: subscriptionMade({
      by: dana,
      subscribed: document,
      settings: everything,
      toStop: '/unsubscribe document 987-654-321 4410',
    }),
  },
  {
    title: 'A subscription changed',
    message: subscriptionChanged({
      by: max,
      subscribed: towerItself,
      change: {
        before: { ...everything, comprehensive: true },
        after: { ...narrow, comprehensive: false },
      },
      toStop: '/unsubscribe project 123-456-789',
    }),
  },
  {
    title: 'A subscription removed',
    message: subscriptionsRemoved({
      by: max,
      subscribed: [tower],
      toFollow: '/subscribe project 123-456-789',
    }),
  },
  {
    title: 'All subscriptions removed',
    message: subscriptionsRemoved({ by: max, subscribed: [tower, review, folder, file] }),
  },
  ...pauseReasons.map((reason) => ({
    title: `Paused: ${reason}`,
    message: subscriptionPaused({ subscribed: tower, pause: { reason, owner: dana }, mending }),
  })),
  {
    title: 'Paused, told by direct message, with a button to take over',
    message: subscriptionPaused({
      subscribed: review,
      pause: { reason: 'not in channel', owner: dana },
      mending: { ...mending, toFollow: '/subscribe session 987-654-321' },
      where: { channelId: 'C0HARBOUR1' },
      takeOverValue: '7f0c6a52',
    }),
  },
  ...[null, 0, 1, 12].map((missed) => ({
    title: `Resumed, missed: ${missed ?? 'not known'}`,
    message: subscriptionResumed({ subscribed: tower, missed }),
  })),
  { title: 'Ended', message: subscriptionEnded({ subscribed: review }) },
  { title: 'Taken over', message: subscriptionTakenOver({ by: max, from: dana, subscribed: tower }) },
  { title: 'Muted', message: channelMuted({ by: dana, until: new Date('2026-11-20T16:03:00Z') }) },
  { title: 'Unmuted', message: channelUnmuted({ by: dana, waiting: 5 }) },
];

const linkUrl = 'https://plancast.example.com/link/Yk3sQ2mZ8cVtN5wJrB7xPA';

const linking: readonly GalleryCase[] = [
  {
    title: 'Not linked yet, and something was typed',
    message: linkOffer({ wording, why: 'needed', url: linkUrl, minutes: 10, carriesOn: true }),
  },
  { title: 'Link asked for', message: linkOffer({ wording, why: 'asked', url: linkUrl, minutes: 10 }) },
  {
    title: 'Link again',
    message: linkOffer({ wording, why: 'again', url: linkUrl, minutes: 10, carriesOn: true, waiting: 3 }),
  },
  {
    title: 'Linked already',
    message: alreadyLinked({ wording, account: 'dana.ek@example.com', url: linkUrl, minutes: 10 }),
  },
  {
    title: 'Another account signed in',
    message: replaceAccountQuestion({
      wording,
      oldAccount: 'dana.ek@example.com',
      newAccount: 'd.ek@contractor.example',
      value: 'a1',
    }),
  },
  {
    title: 'Another account signed in, neither named',
    message: replaceAccountQuestion({ wording, oldAccount: null, newAccount: null, value: 'a1' }),
  },
  { title: 'Enter code', message: linkCodeModal({ wording, metadata: 'C0HARBOUR1' }) },
  {
    title: 'A wrong code typed as a command',
    message: codeNotTaken({ wording, fault: { kind: 'wrong', triesLeft: 1 } }),
  },
  { title: 'An expired code', message: codeNotTaken({ wording, fault: { kind: 'expired' } }) },
  { title: 'Linked', message: linked({ wording, account: 'dana.ek@example.com' }) },
  { title: 'Receipt of a link', message: linkReceipt({ wording, account: 'dana.ek@example.com' }) },
  {
    title: 'Receipt of a replaced link',
    message: linkReceipt({ wording, account: 'd.ek@contractor.example', replaced: 'dana.ek@example.com' }),
  },
  {
    title: 'Status: not linked',
    message: linkStatus({ wording, state: { kind: 'none' }, subscriptions: 0 }),
  },
  {
    title: 'Status: linked',
    message: linkStatus({
      wording,
      state: { kind: 'active', account: 'dana.ek@example.com', linkedAt: new Date('2026-10-01T08:00:00Z') },
      subscriptions: 3,
    }),
  },
  {
    title: 'Status: has to link again',
    message: linkStatus({
      wording,
      state: { kind: 'again', account: 'dana.ek@example.com', linkedAt: new Date('2026-10-01T08:00:00Z') },
      subscriptions: 1,
    }),
  },
  {
    title: 'Unlink?',
    message: unlinkQuestion({
      wording,
      account: 'dana.ek@example.com',
      stops: [
        { subscribed: tower, channelId: 'C0HARBOUR1' },
        { subscribed: review, channelId: 'C0REVIEWS1' },
      ],
      value: 'u1',
    }),
  },
  {
    title: 'Unlink, nothing stops?',
    message: unlinkQuestion({ wording, account: null, stops: [] }),
  },
  { title: 'Unlinked', message: unlinked({ wording, stopped: 2 }) },
  { title: 'Nothing to unlink', message: nothingToUnlink({ wording }) },
];

const postables = [
  'not in channel',
  'archived',
  'read-only',
  'direct message',
  'not installed',
  'unknown',
] as const;

const answers: readonly GalleryCase[] = [
  ...postables.map((why) => ({
    title: `Cannot post: ${why}`,
    message: cannotPost({ why, botName: 'plancast' }),
  })),
  ...(['guest', 'stranger', 'not in channel', 'deactivated'] as const).map((why) => ({
    title: `Refused: ${why}`,
    message: refused(why),
  })),
  { title: 'Too many tries', message: tooManyTries(12) },
  {
    title: 'The service refuses',
    message: serviceError({ forPerson: 'Planroom says that you may not see project 123-456-789.' }),
  },
  {
    title: 'A word not understood',
    message: notUnderstood({
      word: 'projct',
      after: null,
      expected: 'project, folder, file, session, document, an id or a link',
      meant: 'project',
      example: '/subscribe project 123-456-789',
    }),
  },
  {
    title: 'A word missing',
    message: notUnderstood({
      word: null,
      after: 'folder',
      expected: 'the 9-digit id of its project',
      example: '/subscribe folder 123-456-789 ITEM',
    }),
  },
  {
    title: 'Project or session?',
    message: kindQuestion({ id: '123-456-789', projectValue: 'p', sessionValue: 's' }),
  },
  { title: 'Covered already', message: overlapQuestion({ wanted: file, covering: tower, value: 'r1' }) },
  { title: 'Remove all?', message: unsubscribeAllQuestion({ count: 7, value: 'C0HARBOUR1' }) },
  { title: 'Remove the only one?', message: unsubscribeAllQuestion({ count: 1 }) },
  { title: 'Nothing to remove', message: nothingToRemove({ subscribed: review, wording }) },
  { title: 'Nothing at all to remove', message: nothingToRemove({ subscribed: null, wording }) },
  { title: 'Subscribed already', message: alreadySubscribed({ subscribed: tower }) },
  { title: 'Gone meanwhile', message: alreadyGone() },
  { title: 'Whose clock', message: timeZoneNote({ at: '09:00', zone: 'Europe/Stockholm' }) },
  { title: 'Not muted', message: notMuted() },
  { title: 'Something broke', message: unexpectedError({ reference: 'k7m2qx' }) },
];

const helpEntries = [
  {
    topic: 'subscribe' as const,
    title: '/subscribe',
    description: 'Follows something in this channel.',
    forms: [
      { usage: '/subscribe', description: 'Opens a form.' },
      {
        usage: '/subscribe project ID [itself]',
        description: 'A project and everything in it, or itself alone.',
      },
    ],
    options: [
      { usage: 'only create,update,delete', description: 'Event types to post.' },
      { usage: 'in "Plans/Level 1/**"', description: 'Paths; a leading ! leaves out.' },
    ],
    examples: ['/subscribe project 123-456-789 only create in "Plans/**" digest daily 09:00'],
  },
  {
    topic: 'unlink' as const,
    title: '/plancast unlink',
    description: 'Ends your link with the service.',
    forms: [{ usage: '/plancast unlink', description: 'Lists what stops and asks.' }],
    options: [],
    examples: [],
  },
];

const rows: readonly ListedSubscription[] = [
  {
    id: '0b7e0d1e-30c2-4f4e-9a51-6f1f0a3d5c01',
    subscribed: tower,
    owner: dana,
    settings: everything,
    state: 'active',
    lastEventAt: happenedAt,
  },
  {
    id: '0b7e0d1e-30c2-4f4e-9a51-6f1f0a3d5c02',
    subscribed: review,
    owner: max,
    settings: narrow,
    state: 'paused',
    pause: { reason: 'link lost', owner: max } satisfies Pause,
    lastEventAt: minutesAgo(3_000),
  },
  {
    id: '0b7e0d1e-30c2-4f4e-9a51-6f1f0a3d5c03',
    subscribed: folder,
    owner: dana,
    settings: everything,
    state: 'pending',
    lastEventAt: null,
  },
  {
    id: '0b7e0d1e-30c2-4f4e-9a51-6f1f0a3d5c04',
    subscribed: file,
    owner: dana,
    settings: everything,
    state: 'active',
    serviceStatus: 'Suspended',
    lastEventAt: null,
  },
];

const lists: readonly GalleryCase[] = [
  { title: 'The list', message: subscriptionList({ purpose: 'subscriptions', rows, page: 0, wording }) },
  {
    title: 'The list to remove from, second page of three',
    message: subscriptionList({
      purpose: 'unsubscribe',
      rows: Array.from({ length: 23 }, (_, index) => ({ ...rows[0], id: `row-${index}` })).filter(isRow),
      page: 1,
      wording,
    }),
  },
  {
    title: 'The empty list',
    message: subscriptionList({ purpose: 'subscriptions', rows: [], page: 0, wording }),
  },
  {
    title: 'The empty list to remove from',
    message: subscriptionList({ purpose: 'unsubscribe', rows: [], page: 0, wording }),
  },
  { title: 'Help', message: help({ entries: helpEntries, wording }) },
  { title: 'Help on one command', message: help({ entries: helpEntries.slice(0, 1), wording }) },
];

function isRow(row: Partial<ListedSubscription>): row is ListedSubscription {
  return row.subscribed !== undefined;
}

/** Every message and form that the bot can show. */
export const galleryCases: readonly GalleryCase[] = [
  ...sentences,
  ...cards,
  ...announcements,
  ...linking,
  ...answers,
  ...lists,
];
