import type { HomeView, ModalView } from '@slack/types';
import { channelReasons, isOwnerReason, type PauseReason } from '../../src/core/model/pause-reason.ts';
import { defaultSettings } from '../../src/core/model/settings.ts';
import type { Filters, Subscribed, SubscriptionState } from '../../src/core/model/subscription.ts';
import { type Activity, plainLook, renderActivity } from '../../src/messages/activity/activity.ts';
import { showAllGone, showAllSoon, showAllView } from '../../src/messages/activity/show-all.ts';
import { auditView, whyThisAnnouncement } from '../../src/messages/admin/audit.ts';
import {
  channelsUnknown,
  exportedLines,
  type ImportVerdict,
  importDone,
  importFaults,
  importForm,
  importReady,
  nothingToExport,
} from '../../src/messages/admin/imports.ts';
import { dataRemoved, removeDataForm } from '../../src/messages/admin/remove-data.ts';
import {
  adminsAsked,
  adminsNotAsked,
  mayNot,
  onlyAdmins,
  reasonFor,
  requestAnswered,
  requestOutcome,
  requestToAdmin,
  requestTooOld,
} from '../../src/messages/admin/requests.ts';
import { settingsForm, settingsInWords, settingsSaved } from '../../src/messages/admin/settings.ts';
import { doctorReport, postedAgain, postingResumed, repaired } from '../../src/messages/explaining/doctor.ts';
import * as findings from '../../src/messages/explaining/findings.ts';
import {
  followsSince,
  itemQuestion,
  linkPreview,
  linksQuestion,
  noLinks,
} from '../../src/messages/explaining/link-previews.ts';
import { caughtUp, recapMessage, whichItem } from '../../src/messages/explaining/recap.ts';
import {
  type Origin,
  type TracedEvent,
  whyNoEvents,
  whyNotMine,
  whyThisChannel,
  whyThisMessage,
} from '../../src/messages/explaining/why.ts';
import { help } from '../../src/messages/home/help.ts';
import { type HomeRow, homeRefusal, homeView } from '../../src/messages/home/home.ts';
import { type WorkspaceRow, workspaceView } from '../../src/messages/home/workspace.ts';
import {
  codeNotTaken,
  linkCodeModal,
  linked,
  linkOffer,
  linkReceipt,
  linkStatus,
  nothingToUnlink,
  relinkRequest,
  unlinked,
  unlinkQuestion,
} from '../../src/messages/linking/linking.ts';
import {
  channelClosed,
  channelDeleted,
  channelMuted,
  channelResumed,
  channelShared,
  channelUnmuted,
  quietHoursOff,
  quietHoursSet,
  sharedChannelShows,
  subscriptionChanged,
  subscriptionEnded,
  subscriptionMade,
  subscriptionResumed,
  subscriptionsPausedBy,
  subscriptionsRemoved,
  subscriptionsWaiting,
  subscriptionTakenOver,
} from '../../src/messages/subscribing/announcements.ts';
import {
  aboutKept,
  alreadyGone,
  alreadySo,
  alreadySubscribed,
  beingSetUp,
  doneForYou,
  formNotOpened,
  formReceived,
  formRefused,
  formTakesLong,
  greeting,
  itemNotSeen,
  keptDone,
  keptUntilInvited,
  keysChanging,
  mutedSame,
  nothingDone,
  nothingToRemove,
  notMuted,
  notSetUp,
  notUndone,
  pathsNotSeen,
  personalGreeting,
  postedAlready,
  quietSame,
  settingUp,
  tooLateToUndo,
  unexpectedError,
  versionsUncertain,
  withTyped,
} from '../../src/messages/subscribing/answers.ts';
import {
  cannotExclude,
  cannotFollow,
  changeForgotten,
  type ExcludedThing,
  exclusionChanged,
  itemDeleted,
  tooManyExclusions,
} from '../../src/messages/subscribing/exclusions.ts';
import { type Form, faultOf } from '../../src/messages/subscribing/form-fields.ts';
import {
  emptyList,
  type ListedSubscription,
  type Muted,
  subscriptionList,
} from '../../src/messages/subscribing/lists.ts';
import {
  folderOnlyQuestion,
  partlyUnderstood,
  projectInsteadQuestion,
  scopeQuestion,
  sharedChannelQuestion,
  tooMuch,
  unsubscribeAllQuestion,
  volumeKept,
  volumeLowered,
} from '../../src/messages/subscribing/questions.ts';
import { quietForm } from '../../src/messages/subscribing/quiet-form.ts';
import {
  cannotPing,
  cannotPost,
  pingedIsAway,
  refused,
  serviceError,
  sharedNotAllowed,
  tooManyTries,
} from '../../src/messages/subscribing/refusals.ts';
import {
  formOutdated,
  previewFaults,
  previewLoading,
  previewView,
  subscribeForm,
  targetForm,
} from '../../src/messages/subscribing/subscribe-form.ts';
import type { Copy, Pause, SubscriptionSettings } from '../../src/messages/text/copy.ts';
import type { Message } from '../../src/messages/text/message.ts';
import { answerView } from '../../src/messages/text/modal.ts';
import { type Phrase, say } from '../../src/messages/text/phrase.ts';
import { newForm, projectStart } from '../support/form-context.ts';
import { happenedAt, harbourTower, makeChange, minutesAgo, now, weeklyReview } from './changes.ts';

/** One message or form that the bot can show, with values from a real project. */
export type GalleryCase = { readonly title: string; readonly message: Message | ModalView | HomeView };

/** Cases that are shown on one page. */
export type GalleryGroup = { readonly name: string; readonly cases: readonly GalleryCase[] };

export const copy: Copy = {
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
const sam = { userId: 'U0SAMOKAF1', name: 'Sam Okafor' };

const me = { ...dana, isReader: true };

const doors: ExcludedThing = {
  kind: 'item',
  itemKind: 'file',
  name: 'A-103 Doors.pdf',
  folder: ['Plans', 'Level 1'],
};
const scanner: ExcludedThing = { kind: 'person', name: 'Scanner' };
const muting = { by: dana, value: 'c0ffee00-0000-4000-8000-000000000001', minutes: 10 };
const followedFile: Subscribed = {
  target: { kind: 'file', projectId: '123-456-789', itemId: '88231457' },
  name: 'A-103 Doors.pdf',
  comprehensive: true,
};

const tower: Subscribed = {
  target: { kind: 'project', projectId: '123-456-789' },
  name: 'Harbour Tower',
  comprehensive: true,
};
const towerRow = { id: 's1', subscribed: tower };
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
  parentName: 'Harbour Tower',
  comprehensive: false,
};
const file: Subscribed = {
  target: { kind: 'file', projectId: '123-456-789', itemId: '58301377' },
  name: null,
  comprehensive: true,
};
const document: Subscribed = {
  target: { kind: 'document', sessionId: '987-654-321', documentId: '4410' },
  name: 'Site plan.pdf',
  parentName: 'Weekly review',
  comprehensive: false,
};

const noFilters: Filters = { only: [], paths: [], by: [], notBy: [] };
const everything: SubscriptionSettings = { filters: noFilters, delivery: { when: 'live' }, threads: false };
const narrow: SubscriptionSettings = {
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

/** Returns the changes as stored events, which have a menu. */
function stored(changes: Activity['changes']): Activity['changes'] {
  return changes.map((change, index) => ({ ...change, eventId: String(5001 + index) }));
}

/** Returns saves of one file, a minute apart, the last one just now. */
function saves(name: string, count: number): Activity['changes'] {
  return Array.from({ length: count }, (_, index) =>
    makeChange({ verb: 'updated', name, itemId: name, happenedAt: minutesAgo(count - index) }),
  );
}

function live(changes: Activity['changes'], more: Partial<Activity> = {}): Message {
  return renderActivity({ changes: stored(changes), now, mode: 'live', ...more });
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
    verb: 'updated',
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

const nights = {
  from: '18:00',
  to: '07:00',
  zone: 'Europe/London',
  weekends: true,
  except: ['delete'],
} as const;

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
  { title: 'A file saved', message: live([makeChange({ verb: 'updated' })]) },
  { title: 'A file saved 20 times', message: live(saves('A-102 Ceiling plan.pdf', 20)) },
  {
    title: 'Files saved repeatedly',
    message: live([
      ...saves('A-102 Ceiling plan.pdf', 20),
      ...saves('A-103 Doors.pdf', 2),
      ...saves('A-104.pdf', 1),
    ]),
  },
  { title: 'A file deleted', message: live([makeChange({ verb: 'deleted' })]) },
  {
    title: 'A file deleted, which mentions a person',
    message: live([makeChange({ verb: 'deleted' })], { mentioned: [{ kind: 'user', id: sam.userId }] }),
  },
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
    title: 'By an email address Slack does not know',
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
    title: 'Posted late',
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

/** The sentences that `sentences` only has for files, for everything else that can change. */
const otherKinds: readonly GalleryCase[] = (
  [
    ['A folder renamed', { verb: 'renamed', kind: 'folder', previousName: 'Level 2', name: 'Level 02' }],
    ['A folder moved', { verb: 'moved', kind: 'folder', name: 'Details', previousFolder: ['Inbox'] }],
    ['A folder changed', { verb: 'updated', kind: 'folder', name: 'Details' }],
    ['A folder deleted', { verb: 'deleted', kind: 'folder', name: 'Details' }],
    ['A project added', { verb: 'added', kind: 'project', name: 'Harbour Tower', folder: null }],
    ['A project changed', { verb: 'updated', kind: 'project', name: 'Harbour Tower', folder: null }],
    ['A project deleted', { verb: 'deleted', kind: 'project', name: 'Harbour Tower', folder: null }],
    [
      'A project renamed, its old name not known',
      { verb: 'renamed', kind: 'project', name: 'Harbour Tower rev B', folder: null },
    ],
    ['A session added', { verb: 'added', kind: 'session', within: weeklyReview }],
    ['A session renamed', { verb: 'renamed', kind: 'session', previousName: 'Review', within: weeklyReview }],
    ['A session deleted', { verb: 'deleted', kind: 'session', within: weeklyReview }],
    ['A document renamed', { verb: 'renamed', kind: 'document', previousName: 'Site.pdf' }],
    ['A document changed', { verb: 'updated', kind: 'document' }],
    ['A document deleted', { verb: 'deleted', kind: 'document' }],
    ['A file or a folder, not known which, changed', { verb: 'updated', kind: 'item', name: 'Details' }],
  ] as const
).map(([title, change]) => ({ title, message: live([makeChange(asNamed(change))]) }));

/** Returns the change with the name and place that its kind usually has. */
function asNamed(change: Partial<Activity['changes'][number]>): typeof change {
  switch (change.kind) {
    case 'session':
      return { name: weeklyReview.name, folder: null, ...change };
    case 'document':
      return { name: 'Site plan.pdf', folder: null, within: weeklyReview, ...change };
    default:
      return change;
  }
}

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
      changes: stored(busyMorning),
      now,
      mode: 'summary',
      because: 'digest',
      since: minutesAgo(24 * 60),
    }),
  },
  {
    title: 'After a mute, with something skipped',
    message: renderActivity({
      changes: stored(busyMorning.slice(24)),
      now,
      mode: 'summary',
      because: 'muted',
      since: minutesAgo(8 * 24 * 60),
      skipped: 12,
    }),
  },
  {
    title: 'After quiet hours',
    message: renderActivity({
      changes: stored(busyMorning.slice(24)),
      now,
      mode: 'summary',
      because: 'quiet',
      since: minutesAgo(13 * 60),
    }),
  },
  {
    title: 'After a pause in which nothing was kept',
    message: renderActivity({ changes: [], now, mode: 'summary', because: 'paused', skipped: 1 }),
  },
  {
    title: 'A daily digest of a project and a session',
    message: renderActivity({
      changes: stored([
        ...busyMorning,
        ...busyMorning.slice(0, 2).map((change) => ({ ...change, verb: 'updated' as const })),
        makeChange({ kind: 'document', name: 'Minutes.docx', folder: null, within: weeklyReview }),
      ]),
      now,
      mode: 'summary',
      because: 'digest',
      since: minutesAgo(24 * 60),
    }),
  },
  {
    title: 'Unmuted, with what was held in the same message',
    message: renderActivity({
      changes: stored(busyMorning.slice(24)),
      now,
      mode: 'summary',
      because: 'muted',
      since: minutesAgo(60),
      lead: channelUnmuted(dana, 4),
    }),
  },
  {
    title: 'A channel with several subscriptions',
    message: live([makeChange({ happenedAt: minutesAgo(19) })], { look: { ...plainLook, places: true } }),
  },
  { title: 'Without signs', message: live([makeChange()], { look: { ...plainLook, signs: false } }) },
  {
    title: 'With a link where the admin set how',
    message: live([makeChange({ url: 'https://plans.example.com/123-456-789/items/42' })]),
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
  {
    title: 'Show all, the newest first',
    message: showAllView({ changes: busyMorning, page: 0, metadata: '42', isNewestFirst: true }),
  },
  {
    title: 'Show all, what was found',
    message: showAllView({ changes: busyMorning, page: 0, metadata: '42', find: 'old' }),
  },
  { title: 'Show all, too early', message: showAllSoon },
  { title: 'Show all, too late', message: showAllGone },
];

/** A day in which much happened to a few items, in two projects. */
const recapped = stored([
  ...busyMorning,
  ...saves('A-102 Ceiling plan.pdf', 3),
  makeChange({ verb: 'added', name: 'A-200.pdf', itemId: '200', folder: ['Details'] }),
  makeChange({
    verb: 'renamed',
    name: 'A-201.pdf',
    previousName: 'A-200.pdf',
    itemId: '200',
    folder: ['Details'],
  }),
  makeChange({ kind: 'document', name: 'Minutes.docx', folder: null, within: weeklyReview }),
]);

function recap(more: Partial<Parameters<typeof recapMessage>[0]> = {}): Message {
  return recapMessage({
    since: minutesAgo(38 * 60),
    days: 7,
    changes: recapped,
    waiting: 0,
    filtered: 0,
    isCut: false,
    page: 0,
    request: {},
    about: null,
    isItem: false,
    unknown: null,
    channelId: null,
    follows: true,
    signed: true,
    again: (request) => ({ act: 'recap', ...request }),
    ...more,
  });
}

const recaps: readonly GalleryCase[] = [
  { title: 'A recap', message: recap({ waiting: 3, filtered: 12 }) },
  {
    title: 'A recap, second page',
    message: recap({
      changes: stored(
        Array.from({ length: 120 }, (_, index) =>
          makeChange({ name: `${index} of the tender.pdf`, folder: [`Lot ${index}`] }),
        ),
      ),
      isCut: true,
      page: 1,
    }),
  },
  {
    title: 'A recap of one item',
    message: recap({
      about: 'A-201.pdf',
      isItem: true,
      request: { key: 'ProjectItems:123-456-789:200', since: { days: 7 } },
      changes: recapped.filter(({ itemId }) => itemId === '200'),
    }),
  },
  {
    title: 'A recap of a name that nothing has',
    message: recap({ unknown: 'A-999', changes: recapped.slice(-1), waiting: 1 }),
  },
  {
    title: 'A recap of a link to what has not changed',
    message: recap({ unknown: 'https://studio.example/projects/123-456-789/files/201' }),
  },
  {
    title: 'A recap of nothing, read in Home',
    message: recap({ changes: [], channelId: 'C0PLANS001', filtered: 1 }),
  },
  { title: 'A recap without subscriptions', message: recap({ changes: [], follows: false }) },
  {
    title: 'A recap of a name that fits several',
    message: whichItem({
      named: 'A-10',
      since: undefined,
      again: (request) => ({ act: 'recap', ...request }),
      items: {
        first: Array.from({ length: 10 }, (_, index) => ({
          key: `ProjectItems:123-456-789:${index}`,
          name: `A-10${index}.pdf`,
          previousName: index === 1 ? 'a-10 old.pdf' : null,
          folder: index === 2 ? null : ['Plans', 'Level 1'],
          within: index === 3 ? null : 'Harbour Tower',
        })),
        count: 12,
      },
    }),
  },
  {
    title: 'Catch me up',
    message: answerView(
      caughtUp(
        minutesAgo(38 * 60),
        [
          { channelId: 'C0PLANS001', changes: recapped, isCut: true },
          { channelId: 'C0SITE001', changes: recapped.slice(-1), isCut: false },
        ],
        true,
      ),
    ),
  },
  {
    title: 'Catch me up, with nothing new',
    message: answerView(caughtUp(minutesAgo(38 * 60), [], true)),
  },
  {
    title: 'Catch me up, channels not known',
    message: answerView(caughtUp(minutesAgo(38 * 60), [], false)),
  },
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
  'by a person',
];

const rowId = '0b7e0d1e-30c2-4f4e-9a51-6f1f0a3d5c01';
const undoValue = JSON.stringify({ act: 'undo-change', id: rowId, key: '', at: 1795219380000 });

const announcements: readonly GalleryCase[] = [
  {
    title: 'Subscribed to a project',
    message: subscriptionMade({
      id: rowId,
      by: dana,
      subscribed: tower,
      settings: everything,
      undoValue,
    }),
  },
  {
    title: 'Subscribed with filters and a digest',
    message: subscriptionMade({
      id: rowId,
      by: dana,
      subscribed: unnamed,
      settings: narrow,
      undoValue,
    }),
  },
  {
    title: 'Subscribed to a document',
    message: subscriptionMade({
      id: rowId,
      by: dana,
      subscribed: document,
      settings: everything,
      undoValue,
    }),
  },
  {
    title: 'Subscribed with a mention of a group',
    message: subscriptionMade({
      id: rowId,
      by: dana,
      subscribed: tower,
      settings: {
        ...everything,
        ping: { kind: 'group', id: 'S0DESIGN01', name: 'designers', on: ['delete'] },
      },
      undoValue,
    }),
  },
  {
    title: 'Another mention',
    message: subscriptionChanged({
      id: rowId,
      by: max,
      subscribed: tower,
      change: {
        before: {
          ...everything,
          ping: { kind: 'group', id: 'S0DESIGN01', on: ['delete'] },
          comprehensive: true,
        },
        after: {
          ...everything,
          ping: { kind: 'user', id: sam.userId, on: ['create', 'delete'] },
          names: new Map([[sam.userId, sam.name]]),
          comprehensive: true,
        },
      },
      undoValue,
    }),
  },
  {
    title: 'A subscription changed',
    message: subscriptionChanged({
      id: rowId,
      by: max,
      subscribed: towerItself,
      change: {
        before: { ...everything, comprehensive: true },
        after: { ...narrow, comprehensive: false },
      },
      undoValue,
    }),
  },
  {
    title: 'A subscription changed, with a new owner',
    message: subscriptionChanged({
      id: rowId,
      by: max,
      from: dana,
      subscribed: towerItself,
      change: {
        before: { ...everything, comprehensive: true },
        after: { ...everything, comprehensive: false },
      },
      undoValue,
    }),
  },
  {
    title: 'A subscription removed',
    message: subscriptionsRemoved(max, [tower]),
  },
  {
    title: 'All subscriptions removed',
    message: subscriptionsRemoved(max, [tower, review, folder, file]),
  },
  ...pauseReasons.filter(isOwnerReason).map((reason) => ({
    title: `Paused: ${reason}`,
    message: subscriptionsWaiting([{ id: rowId, subscribed: tower }], { reason, owner: dana }, copy),
  })),
  ...pauseReasons.filter(isOwnerReason).map((reason) => ({
    title: `Paused in a direct message: ${reason}`,
    message: subscriptionsWaiting(
      [{ id: rowId, subscribed: tower }],
      { reason, owner: { ...dana, isReader: true } },
      copy,
    ),
  })),
  {
    title: 'Paused: three at once',
    message: subscriptionsWaiting(
      [tower, review, folder].map((subscribed) => ({ id: rowId, subscribed })),
      { reason: 'unlinked', owner: dana },
      copy,
    ),
  },
  ...channelReasons.map((reason) => ({
    title: `Channel closed: ${reason}`,
    message: channelClosed({
      channelId: 'C0HARBOUR1',
      subscribed: reason === 'channel archived' ? [tower, review] : [tower],
      reason,
      botName: 'plancast',
      copy,
    }),
  })),
  {
    title: 'Channel deleted',
    message: channelDeleted('C0HARBOUR1', [tower, review]),
  },
  { title: 'Channel open again', message: channelResumed([tower], 3) },
  {
    title: 'Channel open again, several subscriptions',
    message: channelResumed([tower, review], 0),
  },
  { title: 'Channel shared', message: channelShared },
  ...[true, false].map((all) => ({
    title: `Shared channel shows ${all ? 'all' : 'less'}`,
    message: sharedChannelShows(dana, all),
  })),
  ...[null, 0, 1, 12].map((missed) => ({
    title: `Resumed, missed: ${missed ?? 'not known'}`,
    message: subscriptionResumed(tower, missed),
  })),
  { title: 'Ended', message: subscriptionEnded(review) },
  {
    title: 'Ended, not found any more',
    message: subscriptionEnded(review, 'not found'),
  },
  { title: 'Taken over', message: subscriptionTakenOver({ by: max, from: dana, subscribed: tower }) },
  { title: 'Quiet hours', message: quietHoursSet(dana, nights) },
  {
    title: 'Quiet hours in a direct message',
    message: quietHoursSet(me, { ...nights, weekends: undefined, except: [] }),
  },
  { title: 'Quiet hours turned off', message: quietHoursOff(dana, null) },
  {
    title: 'Quiet hours turned off during a mute',
    message: quietHoursOff(dana, new Date('2026-11-20T18:00:00Z')),
  },
  { title: 'Unmuted at night', message: channelUnmuted(dana, 2, new Date('2026-11-20T18:00:00Z')) },
  { title: 'Quiet hours as they are', message: quietSame(nights, false) },
  { title: 'No quiet hours', message: quietSame(null, true) },
  { title: 'Muted', message: channelMuted(dana, new Date('2026-11-20T16:03:00Z')) },
  { title: 'Unmuted', message: channelUnmuted(dana, 5) },
  {
    title: 'Muted, in a direct message',
    message: channelMuted(me, new Date('2026-11-20T16:03:00Z')),
  },
  { title: 'Unmuted, in a direct message', message: channelUnmuted(me, 0) },
  { title: 'A file muted', message: exclusionChanged({ ...muting, thing: doors, isMuted: true }) },
  {
    title: 'A file muted, in a direct message',
    message: exclusionChanged({ ...muting, by: me, thing: doors, isMuted: true }),
  },
  {
    title: 'A folder muted',
    message: exclusionChanged({
      ...muting,
      thing: { ...doors, itemKind: 'folder', name: 'Level 1' },
      isMuted: true,
    }),
  },
  { title: 'A person hidden', message: exclusionChanged({ ...muting, thing: scanner, isMuted: true }) },
  {
    title: 'Shown again',
    message: exclusionChanged({ ...muting, thing: doors, isMuted: false }),
  },
  { title: 'A deleted file in an older menu', message: itemDeleted },
  { title: 'Too many muted', message: tooManyExclusions(200) },
  { title: 'An item the service did not name', message: cannotExclude('item') },
  { title: 'A person nobody named', message: cannotExclude('person') },
  { title: 'A menu of a message that is too old', message: changeForgotten },
  { title: 'Nothing to follow', message: cannotFollow },
];

const linkUrl = 'https://plancast.example.com/link/Yk3sQ2mZ8cVtN5wJrB7xPA';

const linking: readonly GalleryCase[] = [
  {
    title: 'Not linked yet, and something was typed',
    message: linkOffer({
      copy,
      why: 'needed',
      url: linkUrl,
      minutes: 10,
      command: '/subscribe project 412-873-550',
    }),
  },
  { title: 'Link asked for', message: linkOffer({ copy, why: 'asked', url: linkUrl, minutes: 10 }) },
  {
    title: 'Link again',
    message: linkOffer({
      copy,
      why: 'again',
      url: linkUrl,
      minutes: 10,
      command: '/subscribe project 412-873-550',
    }),
  },
  {
    title: 'A new link, after the old one',
    message: linkOffer({
      copy,
      why: 'renewed',
      url: linkUrl,
      minutes: 10,
      command: '/subscribe project 412-873-550',
    }),
  },
  {
    title: 'Linked already',
    message: linkOffer({ copy, why: 'linked', account: 'dana.ek@example.com', url: linkUrl, minutes: 10 }),
  },
  {
    title: 'Link asked for, the link stopped working',
    message: linkOffer({ copy, why: 'stopped', account: 'dana.ek@example.com', url: linkUrl, minutes: 10 }),
  },
  { title: 'Enter code', message: linkCodeModal(copy, 'C0HARBOUR1') },
  {
    title: 'A wrong code typed as a command',
    message: codeNotTaken({ kind: 'wrong', triesLeft: 1 }),
  },
  ...(['malformed', 'expired', 'used up', 'none expected'] as const).map((kind) => ({
    title: `A code refused: ${kind}`,
    message: codeNotTaken({ kind }),
  })),
  { title: 'Linked', message: linked('dana.ek@example.com', copy) },
  { title: 'Receipt of a link', message: linkReceipt('dana.ek@example.com', undefined, copy) },
  {
    title: 'Receipt of a replaced link',
    message: linkReceipt('d.ek@contractor.example', 'dana.ek@example.com', copy),
  },
  {
    title: 'Status: not linked',
    message: linkStatus(null, 0, copy),
  },
  {
    title: 'Status: linked',
    message: linkStatus(
      { state: 'active', account: 'dana.ek@example.com', linkedAt: new Date('2026-10-01T08:00:00Z') },
      3,
      copy,
    ),
  },
  {
    title: 'Status: has to link again',
    message: linkStatus(
      { state: 'relink', account: 'dana.ek@example.com', linkedAt: new Date('2026-10-01T08:00:00Z') },
      1,
      copy,
    ),
  },
  {
    title: 'Unlink?',
    message: unlinkQuestion(
      'dana.ek@example.com',
      [
        { subscribed: tower, channelId: 'C0HARBOUR1' },
        { subscribed: review, channelId: 'C0REVIEWS1' },
      ],
      copy,
    ),
  },
  {
    title: 'Unlink, nothing stops?',
    message: unlinkQuestion(null, [], copy),
  },
  { title: 'Unlinked', message: unlinked(2, copy) },
  { title: 'Asked to link again', message: relinkRequest('dana.ek@example.com', copy) },
  { title: 'Asked to link again, no account known', message: relinkRequest(null, copy) },
  { title: 'Nothing to unlink', message: nothingToUnlink(copy) },
];

const postables = [
  'not in channel',
  'archived',
  'read-only',
  'direct message',
  'not installed',
  'unknown',
] as const;

/** A line that does not run at once. */
const partly = { understood: null, leftOut: '', faults: [], choices: [], lacks: null } as const;
const offered = { line: '/subscribe project 123-456-789', value: 'kept' };

const kept = { line: '/subscribe project 123-456-789 only deleted', channelId: 'C0PLANS001' };
const invitations: readonly GalleryCase[] = [
  {
    title: 'Not in the channel, and the command is kept',
    message: keptUntilInvited(kept.line, 'plancast'),
  },
  { title: 'Invited: what was kept is done', message: keptDone(kept) },
  { title: 'Invited: what was kept is refused', message: aboutKept(refused('guest'), kept) },
  { title: 'Invited: a greeting', message: greeting(copy) },
];

const linkedProject = { kind: 'project', projectId: '123-456-789' } as const;
const linkedItem = { kind: 'item', projectId: '123-456-789', itemId: '50228' } as const;
const unknownLink = {
  name: null,
  parentName: null,
  followed: null,
  isBetweenPeople: false,
  serviceName: 'Harbour Docs',
};
const itemRequest = (kind: 'file' | 'folder') =>
  ({ act: 'subscribe', target: { ...linkedItem, kind }, comprehensive: true, filters: {} }) as const;
const followedTower = { id: 's1', subscribed: tower, since: minutesAgo(60 * 24 * 3) };
const previews: readonly GalleryCase[] = [
  {
    title: 'A posted link, of a project that the channel follows',
    message: linkPreview({
      ...unknownLink,
      target: linkedProject,
      name: 'Harbour Tower',
      followed: { ...followedTower, lastChange: makeChange({ name: 'A-102 Ceiling plan.pdf' }) },
    }),
  },
  {
    title: 'A posted link, of a project that the channel does not follow',
    message: linkPreview({ ...unknownLink, target: linkedProject, name: 'Harbour Tower' }),
  },
  {
    title: 'A posted link, where no name may be shown',
    message: linkPreview({ ...unknownLink, target: linkedProject }),
  },
  {
    title: 'A posted link, of a file or folder',
    message: linkPreview({
      ...unknownLink,
      target: linkedItem,
      name: 'A-102 Ceiling plan.pdf',
      parentName: 'Harbour Tower',
    }),
  },
  {
    title: 'A posted link, in a direct message between people',
    message: linkPreview({ ...unknownLink, target: linkedItem, isBetweenPeople: true }),
  },
  { title: 'A posted link, pressed when the channel follows it', message: followsSince(followedTower) },
  {
    title: 'A posted link, to a file or a folder',
    message: itemQuestion({ file: itemRequest('file'), folder: itemRequest('folder') }),
  },
  {
    title: 'A message with several links',
    message: linksQuestion([
      { target: linkedProject, name: 'Harbour Tower' },
      { target: { kind: 'session', sessionId: '731-450-286' }, name: null },
      { target: linkedItem, name: null },
    ]),
  },
  { title: 'A message without links', message: noLinks('Harbour Docs') },
];

const answers: readonly GalleryCase[] = [
  ...invitations,
  ...postables.map((why) => ({
    title: `Cannot post: ${why}`,
    message: cannotPost(why, 'plancast'),
  })),
  ...(
    [
      'guest',
      'stranger',
      'not in channel',
      'perhaps not in channel',
      'no direct message',
      'deactivated',
      'unknown',
    ] as const
  ).map((why) => ({
    title: `Refused: ${why}`,
    message: refused(why),
  })),
  { title: 'Too many tries', message: tooManyTries(12) },
  {
    title: 'The service refuses',
    message: serviceError('I couldn’t find this at Planroom, or your account can’t see it. Check the id.'),
  },
  {
    title: 'The project of a folder refused',
    message: folderOnlyQuestion(
      {
        target: { kind: 'folder', projectId: '123-456-789', itemId: '58' },
        name: 'Level 1',
        comprehensive: false,
      },
      'kept',
    ),
  },
  { title: 'A file whose project the service denies', message: versionsUncertain },
  ...(['group', 'stranger', 'bot', 'unknown'] as const).map((why) => ({
    title: `A mention that is refused: ${why}`,
    message: cannotPing(why),
  })),
  {
    title: 'Too much in a channel',
    message: tooMuch({ id: rowId, channelId: 'C0HARBOUR1', subscribed: tower, total: 84, count: 71 }),
  },
  {
    title: 'Too much from the only subscription',
    message: tooMuch({ id: rowId, channelId: 'C0HARBOUR1', subscribed: tower, total: 84, count: 84 }),
  },
  ...(['digest', 'digest-except-deleted'] as const).map((to) => ({
    title: `Too much, now a ${to}`,
    message: volumeLowered('C0HARBOUR1', tower, to),
  })),
  { title: 'Too much, but kept', message: volumeKept(90) },
  { title: 'Mentioned, but not in the channel', message: pingedIsAway(sam, false) },
  { title: 'Mentioned in a direct message of somebody else', message: pingedIsAway(sam, true) },
  {
    title: 'Too many folders and files of a project',
    message: projectInsteadQuestion({
      most: 20,
      project: tower,
      value: 'kept',
      form: 'kept',
      personal: false,
    }),
  },
  { title: 'The first direct message', message: personalGreeting },
  {
    title: 'A line with a slip',
    message: partlyUnderstood({ ...partly, understood: { ...offered, name: null, form: 'kept' } }),
  },
  {
    title: 'Words left out',
    message: partlyUnderstood({
      ...partly,
      understood: { ...offered, name: 'Harbour Tower', form: 'kept' },
      leftOut: 'and tell @sam when something is deleted',
    }),
  },
  {
    title: 'No project or session in a line',
    message: partlyUnderstood({
      ...partly,
      leftOut: 'Harbour Tower',
      choices: [{ line: '/subscribe', value: 'form', label: 'Open the form' }],
      lacks: 'target',
    }),
  },
  {
    title: 'Two projects in a line',
    message: partlyUnderstood({
      ...partly,
      leftOut: 'and',
      choices: ['412-873-550', '538-204-917'].map((id) => ({
        line: `/subscribe project ${id}`,
        value: id,
        label: `project ${id}`,
      })),
    }),
  },
  {
    title: 'A wrong value',
    message: partlyUnderstood({
      ...partly,
      understood: { ...offered, name: null, form: 'kept' },
      leftOut: 'monthly',
      faults: [{ option: 'digest', value: 'monthly', expected: 'hourly, daily or weekly' }],
      choices: ['digest hourly', 'digest daily 09:00', 'digest weekly monday 09:00'].map((label) => ({
        line: `/subscribe project 123-456-789 ${label}`,
        value: label,
        label,
      })),
    }),
  },
  {
    title: 'A missing value',
    message: partlyUnderstood({
      ...partly,
      faults: [
        {
          option: 'folder 123-456-789',
          value: null,
          expected: 'the folder’s id after it. Or paste its link instead',
        },
      ],
    }),
  },
  {
    title: 'No command in a line',
    message: partlyUnderstood({
      ...partly,
      leftOut: 'search concrete',
      choices: [
        { line: '/subscribe', value: 'form', label: 'Subscribe this channel' },
        { line: '/subscriptions', value: 'list', label: 'Show subscriptions' },
        { line: '/plancast recap', value: 'recap', label: 'Show recent changes' },
        { line: '/plancast help', value: 'help', label: 'Help' },
      ],
      lacks: 'command',
    }),
  },
  {
    title: 'Another scope of another owner’s subscription',
    message: scopeQuestion({ owner: dana, subscribed: tower, comprehensive: false, value: 'r1' }),
  },
  {
    title: 'Folders nobody has seen',
    message: pathsNotSeen(
      [
        { path: 'Plans/Lvel 1', meant: 'Plans/Level 1' },
        { path: '*.docx', meant: undefined },
      ],
      'r1',
    ),
  },
  { title: 'A name in the place of an id', message: itemNotSeen('file', 'A-101 Floor plan.pdf') },
  {
    title: 'Posted already',
    message: postedAlready({ id: rowId, subscribed: file, covering: tower, delivery: { when: 'live' } }),
  },
  { title: 'Remove all?', message: unsubscribeAllQuestion(7, false) },
  { title: 'Remove the only one?', message: unsubscribeAllQuestion(1, false) },
  { title: 'Remove all of one’s own?', message: unsubscribeAllQuestion(2, true) },
  {
    title: 'Nothing to remove',
    message: nothingToRemove('session 731-450-286', false),
  },
  {
    title: 'Nothing of your own to remove',
    message: nothingToRemove('session 731-450-286', true),
  },
  {
    title: 'Nothing at all to remove',
    message: emptyList(false),
  },
  {
    title: 'Subscribed already',
    message: alreadySubscribed({ id: rowId, subscribed: tower, settings: narrow, personal: false }),
  },
  {
    title: 'Subscribed for oneself',
    message: subscriptionMade({ id: rowId, by: me, subscribed: tower, settings: everything, undoValue }),
  },
  { title: 'A command for oneself, typed in a channel', message: doneForYou('/unsubscribe all to me') },
  ...(['late', 'changed'] as const).map((why) => ({
    title: `Undo of a change, ${why}`,
    message: notUndone(why, tower, rowId),
  })),
  {
    title: 'Undo of a removal, removed again since',
    message: notUndone('changed', tower, null),
  },
  {
    title: 'Being set up',
    message: beingSetUp(tower),
  },
  { title: 'Being set up right now', message: settingUp(tower) },
  {
    title: 'Not set up',
    message: notSetUp(
      tower,
      'C0HARBOUR1',
      'I got no usable answer from Planroom. Try again in a few minutes.',
    ),
  },
  {
    title: 'The service refuses a form',
    message: withTyped(
      serviceError('I couldn’t find this at Planroom.'),
      '/subscribe project 123-456-789 only deleted',
    ),
  },
  { title: 'Gone meanwhile', message: alreadyGone },
  { title: 'Muted already', message: mutedSame(new Date('2026-11-20T16:03:00Z'), false) },
  { title: 'Muted already, in a direct message', message: mutedSame(new Date('2026-11-20T16:03:00Z'), true) },
  { title: 'Not muted', message: notMuted(false) },
  { title: 'Not muted, in a direct message', message: notMuted(true) },
  { title: 'Keys are being changed', message: keysChanging },
  { title: 'Something broke', message: unexpectedError('k7m2qx') },
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
    messagesADay: 0.3,
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
    trouble: { kind: 'odd', status: 'Suspended' },
    lastEventAt: null,
  },
  {
    id: '0b7e0d1e-30c2-4f4e-9a51-6f1f0a3d5c05',
    subscribed: { ...folder, comprehensive: true, name: 'Level 2' },
    owner: dana,
    settings: everything,
    state: 'active',
    trouble: { kind: 'places' },
    lastEventAt: null,
  },
  {
    id: '0b7e0d1e-30c2-4f4e-9a51-6f1f0a3d5c06',
    subscribed: tower,
    owner: dana,
    settings: { ...everything, filters: { ...everything.filters, paths: ['Plans/Lvel 1'] } },
    state: 'active',
    trouble: { kind: 'unmatched', count: 20 },
    lastEventAt: minutesAgo(12),
    messagesADay: 12.2,
  },
  {
    id: '0b7e0d1e-30c2-4f4e-9a51-6f1f0a3d5c07',
    subscribed: { ...review, name: 'Handover' },
    owner: dana,
    settings: everything,
    state: 'active',
    trouble: { kind: 'not repaired' },
    lastEventAt: null,
  },
];

const muted: readonly Muted[] = [
  {
    value: 'm1',
    what: { kind: 'item', itemKind: 'file', name: 'A-103 Doors.pdf', folder: ['Plans', 'Level 1'] },
    by: max,
  },
  { value: 'm2', what: { kind: 'person', name: 'Scanner' } },
  ...Array.from({ length: 5 }, (_, index) => ({
    value: `m${index + 3}`,
    what: { kind: 'item' as const, itemKind: 'file' as const, name: `S-0${index + 1}.pdf`, folder: null },
  })),
];

/** One row for each state that a list can show. */
const healthRows: readonly ListedSubscription[] = pauseReasons.map((reason, index) => ({
  id: `paused-${index}`,
  subscribed: tower,
  owner: max,
  settings: everything,
  state: 'paused',
  pause: { reason, owner: max, by: index % 2 === 0 ? dana : undefined },
  lastEventAt: happenedAt,
}));

/** Returns 200 rows by repeating the given ones. */
function twoHundred<R extends ListedSubscription>(some: readonly R[]): R[] {
  return Array.from({ length: 200 }, (_, index) => some.slice(index % some.length, (index % some.length) + 1))
    .flat()
    .map((row, index) => ({ ...row, id: `row-${index}` }));
}

const lists: readonly GalleryCase[] = [
  { title: 'The list', message: subscriptionList({ purpose: 'subscriptions', rows, page: 0 }) },
  {
    title: 'The list, with what is muted',
    message: subscriptionList({ purpose: 'subscriptions', rows: rows.slice(0, 1), muted, page: 0 }),
  },
  {
    title: 'The list of a muted channel',
    message: subscriptionList({
      purpose: 'subscriptions',
      rows: rows.slice(0, 1),
      silence: {
        mute: { channelId: 'D0DANAEK01', until: new Date('2026-11-20T16:03:00Z'), by: max },
        quiet: nights,
      },
      page: 0,
    }),
  },
  {
    title: 'The list of a muted direct message',
    message: subscriptionList({
      purpose: 'subscriptions',
      rows: [],
      silence: {
        mute: { channelId: 'D0DANAEK01', until: new Date('2026-11-20T16:03:00Z'), by: null },
        quiet: null,
      },
      personal: true,
      page: 0,
    }),
  },
  {
    title: 'The list to remove from, second page of three',
    message: subscriptionList({
      purpose: 'unsubscribe',
      rows: twoHundred(rows.slice(0, 1)).slice(0, 23),
      page: 1,
    }),
  },
  {
    title: 'The list, the last of twenty pages',
    message: subscriptionList({
      purpose: 'subscriptions',
      rows: twoHundred(rows),
      page: 19,
    }),
  },
  {
    title: 'The list, each health there is',
    message: subscriptionList({ purpose: 'subscriptions', rows: healthRows, page: 0 }),
  },
  {
    title: 'The empty list',
    message: subscriptionList({ purpose: 'subscriptions', rows: [], page: 0 }),
  },
  {
    title: 'The empty list to remove from',
    message: subscriptionList({ purpose: 'unsubscribe', rows: [], page: 0 }),
  },
  { title: 'Help', message: help(undefined, copy) },
  { title: 'Help on one command', message: help('subscribe', copy) },
];

const knownFolders = [
  { id: 'F10', path: ['Plans'] },
  { id: 'F11', path: ['Plans', 'Level 1'] },
  { id: 'F12', path: ['Details'] },
];
const step = {
  recognized: { target: newForm.start.target, name: null as string | null },
  isEdit: false,
  hasBack: true,
  metadata: '{}',
};
const formFor = (form: Partial<Form>, more: Partial<typeof step> = {}) => {
  const shown = { ...newForm, ...form };
  const recognized = { target: shown.start.target, name: null };
  return subscribeForm(shown, { ...step, recognized, ...more });
};
const filledForm: Form = {
  ...newForm,
  more: true,
  folders: knownFolders,
  names: new Map([[max.userId, max.name]]),
  start: {
    ...projectStart,
    target: { kind: 'folder', projectId: '123-456-789', itemId: 'F11' },
    filters: {
      only: ['create', 'delete'],
      paths: ['Plans/Level 1', '!*.bak'],
      by: [{ userId: max.userId }, { email: 'scanner@example.com' }],
    },
    when: { when: 'daily', at: '07:30', weekdays: true, except: ['delete'] },
    threads: true,
    name: 'Harbour Tower, level 1',
  },
};
const levelOne = { folder: ['Plans', 'Level 1'] };
const previewAdded = makeChange({ verb: 'added', name: 'A-103 Door schedule.pdf', ...levelOne });
const previewDeleted = makeChange({ verb: 'deleted', name: 'A-101 Stair.pdf', ...levelOne });
const posted = [previewAdded, previewDeleted].map((one) =>
  renderActivity({ changes: [one], now: happenedAt, mode: 'live' }),
);

const forms: readonly GalleryCase[] = [
  {
    title: 'The form, just opened',
    message: targetForm({ channelId: 'C0PLANS001', metadata: '{}' }),
  },
  { title: 'The form, for any channel', message: targetForm({ channelId: null, metadata: '{}' }) },
  {
    title: 'The form, with a project by its name',
    message: formFor({}, { recognized: { target: projectStart.target, name: 'Harbour Tower' } }),
  },
  { title: 'The form, with a project by its id', message: formFor({}) },
  {
    title: 'The form, with a bare id, for any channel',
    message: formFor({
      channelId: null,
      start: { ...projectStart, target: { kind: 'unknown', id: '123-456-789' } },
    }),
  },
  {
    title: 'The form, for one document',
    message: formFor({
      start: {
        ...projectStart,
        target: { kind: 'document', sessionId: '123-456-789', documentId: 'D7' },
        comprehensive: false,
      },
    }),
  },
  { title: 'The form, filled in, with more options', message: formFor(filledForm, { hasBack: false }) },
  {
    title: 'The form, for a weekly digest',
    message: formFor({
      start: { ...projectStart, when: { when: 'weekly', day: 'friday', at: '16:30' } },
    }),
  },
  {
    title: 'The form to edit a subscription, with lists too long for it',
    message: formFor(
      {
        more: true,
        start: {
          ...projectStart,
          filters: {
            paths: ['x'.repeat(3_001)],
            by: [{ email: `${'x'.repeat(80)}@example.com` }],
          },
        },
      },
      { isEdit: true, hasBack: false, recognized: { target: tower.target, name: tower.name } },
    ),
  },
  {
    title: 'The form to edit a subscription to a session',
    message: formFor(
      { start: { ...projectStart, target: review.target }, zone: 'Asia/Tokyo', isOwnZone: false },
      { isEdit: true, hasBack: false, recognized: { target: review.target, name: review.name } },
    ),
  },
  { title: 'A preview that is being looked up', message: previewLoading },
  {
    title: 'A preview of 2 of 50',
    message: previewView({
      kind: 'project',
      settings: { ...narrow, delivery: { when: 'live' } },
      history: { of: 50, posted: 2, messages: posted, digest: null },
    }),
  },
  {
    title: 'A preview of a digest, with deletions as they happen',
    message: previewView({
      kind: 'project',
      settings: { ...narrow, delivery: { when: 'hourly', except: ['delete'] } },
      history: {
        of: 50,
        posted: 2,
        messages: posted.slice(1),
        digest: renderActivity({
          changes: [previewAdded],
          now: happenedAt,
          mode: 'summary',
          because: 'digest',
          since: minutesAgo(60),
        }),
      },
    }),
  },
  ...[null, { of: 0, posted: 0 }, { of: 1, posted: 0 }, { of: 1, posted: 1 }, { of: 12, posted: 0 }].map(
    (history): GalleryCase => ({
      title: `A preview, ${history === null ? 'nobody can look back' : `${history.posted} of ${history.of}`}`,
      message: previewView({
        kind: 'session',
        settings: everything,
        history: history && { ...history, messages: posted.slice(0, history.posted), digest: null },
      }),
    }),
  ),
  {
    title: 'A preview of a form with faults',
    message: previewFaults(
      new Map([
        ['channel', say`Choose a channel.`],
        ['paths', faultOf('!', 'the name of a folder or file')],
      ]),
    ),
  },
  { title: 'The form came too late', message: formNotOpened },
  { title: 'The form is out of date', message: answerView(formOutdated) },
  { title: 'The result of a form takes longer than Slack waits', message: formTakesLong },
  { title: 'Such a form was accepted', message: answerView(formReceived) },
  {
    title: 'Such a form was not accepted',
    message: formRefused(['Choose at least one person.']),
  },
  {
    title: 'A question in the Home tab',
    message: answerView(unlinkQuestion('dana.ek@example.com', [], copy)),
  },
  { title: 'A question in the Home tab, answered with no', message: answerView(nothingDone) },
];

const homeRows: readonly HomeRow[] = rows.map((row, index) => ({
  ...row,
  channelId: index === 2 ? null : 'C0PLANS001',
}));
const linkedAccount = { account: 'dana.ek@example.com', linkedAt: new Date('2026-11-03T08:00:00Z') };

const quietForms: readonly GalleryCase[] = [
  {
    title: 'The form for quiet hours',
    message: quietForm({ hours: null, zone: 'Europe/Stockholm', channelId: 'C0PLANS001', metadata: '{}' }),
  },
  {
    title: 'The form for quiet hours, with those of a direct message',
    message: quietForm({ hours: nights, zone: 'Europe/Stockholm', channelId: 'D0DANAEK01', metadata: '{}' }),
  },
];

const homes: readonly GalleryCase[] = [
  {
    title: 'Home, not linked yet',
    message: homeView({
      link: null,
      rows: [],
      page: 0,
      channelsKnown: true,
      admin: false,
      copy,
    }),
  },
  {
    title: 'Home, linked, no subscriptions yet',
    message: homeView({
      link: { state: 'active', ...linkedAccount },
      rows: [],
      page: 0,
      channelsKnown: true,
      admin: false,
      copy,
    }),
  },
  {
    title: 'Home, a few subscriptions',
    message: homeView({
      link: { state: 'active', ...linkedAccount },
      rows: homeRows,
      page: 0,
      channelsKnown: true,
      admin: false,
      copy,
    }),
  },
  ...[null, now].map((mutedUntil) => ({
    title: `Home, a followed item${mutedUntil === null ? '' : ', muted'}`,
    message: homeView({
      mutedUntil,
      link: null,
      rows: homeRows.slice(0, 1).map((row) => ({
        ...row,
        subscribed: followedFile,
        channelId: 'D0DANA0001',
      })),
      page: 0,
      channelsKnown: true,
      admin: false,
      copy,
    }),
  })),
  {
    title: 'Home, second of twenty pages',
    message: homeView({
      link: { state: 'active', ...linkedAccount },
      rows: twoHundred(homeRows.slice(0, 6)),
      page: 1,
      channelsKnown: true,
      admin: false,
      copy,
    }),
  },
  {
    title: 'Home, to be linked again, channels not known',
    message: homeView({
      link: { state: 'relink', account: null, linkedAt: linkedAccount.linkedAt },
      rows: homeRows.map((row) => ({ ...row, channelId: null })),
      page: 0,
      channelsKnown: false,
      admin: false,
      copy,
    }),
  },
  {
    title: 'Home of an admin, with features that need more scopes',
    message: homeView({
      link: { state: 'active', ...linkedAccount },
      rows: [],
      page: 0,
      channelsKnown: true,
      admin: true,
      off: {
        features: ['uninvited', 'emails', 'mentions', 'previews'],
        installUrl: 'https://bot.example.com/slack/install',
      },
      copy,
    }),
  },
  { title: 'Home of a guest', message: homeRefusal },
];

const upkeepOfOne: readonly GalleryCase[] = [
  {
    title: 'Paused by a member',
    message: subscriptionsPausedBy(dana, [towerRow], '/subscriptions'),
  },
  { title: 'Resumed by a member', message: subscriptionResumed(tower, 4, max) },
  { title: 'So already', message: alreadySo },
  {
    title: 'Removed one, to be undone',
    message: subscriptionsRemoved(dana, [tower], 's1'),
  },
  {
    title: 'Removed several, to be undone',
    message: subscriptionsRemoved(dana, [tower, review], 's1,s2'),
  },
  { title: 'Too late to undo', message: tooLateToUndo },
  { title: 'Others can read it', message: sharedChannelQuestion(tower, '{}') },
];

const fromDana: Origin = {
  id: rowId,
  subscribed: tower,
  madeBy: dana,
  madeAt: new Date('2026-11-03T08:00:00Z'),
  carriedOnBy: null,
  settings: narrow,
  changedAt: null,
};
const added = makeChange({ verb: 'added', name: 'Level 1.pdf', folder: ['Plans'] });
const at = minutesAgo(6);
/** Returns an event with its outcome. */
const traced = (
  state: TracedEvent['state'],
  reason: string | null = null,
  more: Partial<TracedEvent> = {},
): TracedEvent => ({
  change: added,
  receivedAt: at,
  postedAt: state === 'posted' ? at : null,
  state,
  reason,
  through: { subscribed: tower, settings: narrow, changedAt: null },
  duplicateOf: null,
  silence: null,
  ...more,
});
const hiding = { subscribed: tower, settings: everything, changedAt: null };
const events: readonly TracedEvent[] = [
  traced('posted'),
  traced('filtered', 'type'),
  traced('filtered', 'person'),
  traced('filtered', 'person', { through: hiding }),
  traced('filtered', 'type', { through: { ...hiding, changedAt: at } }),
  traced('filtered', 'path', { through: { ...hiding, subscribed: folder }, change: null }),
  traced('filtered', 'covered', { duplicateOf: review }),
  traced('filtered', 'covered', { change: null }),
  traced('filtered', 'item'),
  traced('filtered', 'ended'),
  traced('filtered', 'stale'),
  traced('pending'),
  traced('pending', 'muted', { silence: { by: 'mute', until: at } }),
  traced('pending', 'muted'),
  traced('pending', 'muted', { silence: { by: 'quiet hours', until: at } }),
  traced('pending', 'digest'),
  traced('pending', 'paused'),
  traced('dead', 'invalid_blocks'),
  traced('filtered', 'new reason'),
];
const stateFinding = (pause: PauseReason | null, state: SubscriptionState = 'paused') =>
  findings.stateOf(
    {
      ...towerRow,
      state: pause === null ? 'active' : state,
      pause: pause === null ? undefined : { reason: pause, owner: max },
    },
    'plancast',
    copy,
  );
const rowFindings = (pause: PauseReason | null, mine: boolean) => [
  stateFinding(pause),
  findings.linkOf(max, mine, pause === null ? 'active' : 'none', copy),
];
const remotes: readonly findings.RemoteState[] = [
  'fine',
  { odd: 'Suspended' },
  'being made',
  'gone',
  'forbidden',
  'elsewhere',
  { error: 'I got no usable answer from Planroom.' },
  'not asked',
];
const times = findings.lastTimes(at, null, copy);
const inChannel = { botName: 'plancast', personal: false };
const postable = findings.posting('yes', inChannel);
const mutedHere = findings.muted(at);
const troubled = [
  findings.posting('not in channel', inChannel),
  findings.closed('restricted_action', true),
  mutedHere,
  findings.quiet(nights, at),
  findings.quiet(nights, null),
  findings.delayed(at, 0),
  findings.delayed(at, 3),
  findings.waiting(1, at, false),
  findings.waiting(12, at, true),
  findings.dead(2, 'invalid_blocks'),
  findings.features({
    features: ['uninvited', 'previews'],
    installUrl: 'https://bot.example.com/slack/install',
  }),
];
const report = { unchecked: 0, lastPost: undefined, detailed: true, personal: false, copy };

const explanations: readonly GalleryCase[] = [
  {
    title: 'Why this message?',
    message: whyThisMessage({
      count: 3,
      first: minutesAgo(9),
      last: minutesAgo(7),
      postedAt: minutesAgo(6),
      through: [
        { ...fromDana, count: 2 },
        { ...fromDana, subscribed: review, carriedOnBy: max, settings: everything, changedAt: at, count: 1 },
      ],
      events: [traced('posted')],
    }),
  },
  {
    title: 'Why this message? One change',
    message: whyThisMessage({
      count: 1,
      first: minutesAgo(9),
      last: minutesAgo(9),
      postedAt: minutesAgo(6),
      through: [{ ...fromDana, settings: everything, count: 1 }],
      events: [],
    }),
  },
  { title: 'Why: not mine', message: whyNotMine },
  {
    title: 'Why: an announcement',
    message: whyThisAnnouncement([
      { at, by: dana, act: 'unsubscribe', channelId: 'C0PLANS001', subscribed: tower, detail: null },
    ]),
  },
  { title: 'Why: no activity', message: whyNoEvents(30) },
  {
    title: 'Why nothing?',
    message: whyThisChannel({
      page: 1,
      pages: 3,
      channel: troubled,
      subscriptions: [
        {
          origin: fromDana,
          events,
          findings: rowFindings('unlinked', false),
        },
        {
          origin: { ...fromDana, carriedOnBy: max },
          events: [],
          findings: [...rowFindings(null, true), ...times],
        },
      ],
      ended: (['removed', 'deleted', 'not found', 'not made', 'uninstalled', null] as const).map(
        (reason) => ({
          subscribed: review,
          at,
          reason,
          by: reason === 'removed' ? dana : null,
        }),
      ),
      personal: false,
    }),
  },
  {
    title: 'Why nothing, without subscriptions?',
    message: whyThisChannel({
      page: 0,
      pages: 1,
      channel: [],
      subscriptions: [],
      ended: [],
      personal: false,
    }),
  },
  {
    title: 'The doctor, all good',
    message: doctorReport({
      ...report,
      channel: [postable],
      subscriptions: [{ subscribed: tower, findings: [...rowFindings(null, true), ...times] }],
      lastPost: at,
      detailed: false,
    }),
  },
  {
    title: 'The doctor, problems only',
    message: doctorReport({
      ...report,
      channel: [postable, mutedHere],
      subscriptions: [
        { subscribed: tower, findings: [...rowFindings(null, true), ...times] },
        { subscribed: review, findings: rowFindings('unlinked', false) },
      ],
      detailed: false,
    }),
  },
  {
    title: 'The doctor, all good, in detail',
    message: doctorReport({
      ...report,
      channel: [postable],
      subscriptions: [{ subscribed: tower, findings: [...rowFindings(null, true), ...times] }],
    }),
  },
  {
    title: 'The doctor, many problems',
    message: doctorReport({
      ...report,
      channel: troubled,
      subscriptions: [
        { subscribed: tower, findings: rowFindings('unlinked', true) },
        { subscribed: review, findings: rowFindings('by a person', false) },
        {
          subscribed: folder,
          findings: [
            ...remotes.map((state) => findings.remote(state, { id: 's2', subscribed: folder }, copy)),
            findings.versions(copy),
            findings.troubled({ kind: 'places' }, { id: rowId, subscribed: folder }, false),
            findings.troubled({ kind: 'places' }, { id: rowId, subscribed: file }, false),
            findings.troubled({ kind: 'unmatched', count: 20 }, towerRow, false),
          ],
        },
      ],
      unchecked: 4,
    }),
  },
  {
    title: 'The doctor, every reason not to post',
    message: doctorReport({
      ...report,
      channel: [
        ...postables.map((each) => findings.posting(each, inChannel)),
        findings.closed('is_archived', false),
      ],
      subscriptions: [],
    }),
  },
  {
    title: 'The doctor, every state of a link and a pause',
    message: doctorReport({
      ...report,
      channel: [postable],
      subscriptions: [
        {
          subscribed: tower,
          findings: (['active', 'relink', 'frozen', 'none'] as const).flatMap((state) =>
            [true, false].map((isReader) => findings.linkOf(max, isReader, state, copy)),
          ),
        },
        { subscribed: review, findings: pauseReasons.map((reason) => stateFinding(reason)) },
        {
          subscribed: folder,
          findings: [stateFinding('unlinked', 'pending'), ...findings.lastTimes(null, at, copy)],
        },
      ],
    }),
  },
  { title: 'Checked again', message: repaired(tower, rowFindings(null, true)) },
  { title: 'Posting resumed', message: postingResumed },
  { title: 'Retried', message: postedAgain(1) },
  { title: 'Nothing to retry', message: postedAgain(0) },
];

const line = '/subscribe project 123-456-789 only added';
const permissions: readonly GalleryCase[] = [
  {
    title: 'Not allowed: admins only',
    message: mayNot(
      { kind: 'person', subscribers: 'admins' },
      false,
      JSON.stringify({ act: 'ask-admin', request: { act: 'unmute' } }),
    ),
  },
  {
    title: 'Not allowed: some people only',
    message: mayNot({ kind: 'person', subscribers: 'people' }, false),
  },
  ...[false, true].map((isAdmin) => ({
    title: `Not allowed: that project${isAdmin ? ', not even an admin' : ''}`,
    message: mayNot({ kind: 'project', projectId: '123-456-789' }, isAdmin),
  })),
  { title: 'Admins asked', message: adminsAsked(2) },
  ...(['asked already', 'too many', 'nobody there'] as const).map((why) => ({
    title: `Admins not asked: ${why}`,
    message: adminsNotAsked(why),
  })),
  ...[true, false].map((isShared) => ({
    title: `To an admin${isShared ? ', of a shared channel' : ''}`,
    message: requestToAdmin({ by: dana, channelId: 'C0HARBOUR1', isShared, line, value: 'q1', copy }),
  })),
  {
    title: 'Allowed by the reader',
    message: requestAnswered({ as: 'allowed', by: null, asker: dana, line }),
  },
  { title: 'Declined by another', message: requestAnswered({ as: 'declined', by: max, asker: dana, line }) },
  { title: 'Too old a request', message: requestTooOld },
  { title: 'Admins only', message: onlyAdmins },
  ...(['allowed', 'declined'] as const).map((as) => ({
    title: `Request ${as}`,
    message: requestOutcome({ as, by: max, channelId: 'C0HARBOUR1', line }),
  })),
  {
    title: 'The settings',
    message: settingsForm(
      {
        ...defaultSettings,
        subscribers: { kind: 'people', userIds: [dana.userId] },
        projects: ['123-456-789', '222-333-444'],
        signs: false,
      },
      '{}',
    ),
  },
  {
    title: 'The settings, as they are at first',
    message: settingsForm(
      { ...defaultSettings, subscribers: { kind: 'everyone' }, projects: [], signs: true },
      '{}',
    ),
  },
  {
    title: 'The settings in words',
    message: settingsInWords(
      {
        ...defaultSettings,
        subscribers: { kind: 'people', userIds: [dana.userId] },
        projects: ['123-456-789'],
        signs: false,
      },
      [dana],
      false,
    ),
  },
  ...(['everyone', 'admins'] as const).map((kind) => ({
    title: `The settings in words, for an admin: ${kind}`,
    message: settingsInWords(
      { ...defaultSettings, subscribers: { kind }, projects: [], signs: true },
      [],
      true,
    ),
  })),
  { title: 'Settings saved', message: settingsSaved },
];

const request = { act: 'subscribe', target: tower.target, comprehensive: true, filters: {} } as const;
const wantedLine = { line: 3, channelId: 'C0PLANS001', request, name: null } as const;
const mistake = { understood: request, leftOut: 'please', faults: [], choices: [], lacks: null } as const;
const wrongValue = { option: 'only', value: 'renamed', expected: 'added, changed or deleted' };
const faults: readonly Phrase[] = [
  importFaults.mistake(mistake),
  importFaults.mistake({ ...mistake, faults: [wrongValue] }),
  importFaults.mistake({ ...mistake, understood: null, lacks: 'target' }),
  importFaults.mistake({ ...mistake, leftOut: '' }),
  importFaults.noSubscription,
  importFaults.kindUnknown('412-873-550'),
  importFaults.personal,
  importFaults.noChannel,
  importFaults.channelsUnknown,
  importFaults.notInChannel('#plans'),
  importFaults.severalChannels('#plans'),
  importFaults.tooMuch,
  importFaults.twice(3),
  importFaults.cannotPost('C0PLANS001'),
  reasonFor({ kind: 'project', projectId: '412-873-550' }),
  reasonFor({ kind: 'person', subscribers: 'admins' }),
  importFaults.sharedChannel,
  importFaults.anotherScope,
];
const verdicts: readonly ImportVerdict[] = [
  ...faults.map((fault, index) => ({ line: index + 1, kind: 'refused', fault }) as const),
  ...(['add', 'change', 'same'] as const).map((kind, index) => ({ ...wantedLine, kind, line: 22 + index })),
  {
    ...wantedLine,
    kind: 'add',
    line: 30,
    name: 'Weekly review',
    request: { ...request, target: review.target },
  },
];
const noFilter = { state: 'all', ownerUserId: null, channelId: null } as const;
const workspaceRows: readonly WorkspaceRow[] = rows.map((row, index) => ({
  ...row,
  channelId: index < 2 ? 'C0PLANS001' : 'C0HARBOUR1',
}));

const administering: readonly GalleryCase[] = [
  {
    title: 'Home, of an admin',
    message: homeView({
      link: { state: 'active', ...linkedAccount },
      rows: homeRows.slice(0, 1),
      page: 0,
      channelsKnown: true,
      admin: true,
      copy,
    }),
  },
  {
    title: 'All subscriptions of a workspace',
    message: workspaceView({
      screen: { filter: noFilter, page: 0 },
      rows: workspaceRows,
      count: workspaceRows.length,
      channels: 2,
      hidden: { privateChannels: 3, directMessages: 12 },
      complete: true,
      metadata: '{}',
    }),
  },
  {
    title: 'All subscriptions of a workspace, what is paused, as long as a page can be',
    message: workspaceView({
      screen: { filter: { state: 'paused', ownerUserId: dana.userId, channelId: 'C0PLANS001' }, page: 1 },
      rows: twoHundred(workspaceRows.filter(({ state }) => state === 'paused'))
        .slice(0, 10)
        .map((row, index) => ({
          ...row,
          pause: { reason: 'by a person', owner: dana, by: max },
          channelId: `C0MANY${index + 1}`,
        })),
      count: 200,
      channels: 20,
      hidden: { privateChannels: 1, directMessages: 0 },
      complete: false,
      metadata: '{}',
    }),
  },
  {
    title: 'All subscriptions of a workspace, none that fits',
    message: workspaceView({
      screen: { filter: { ...noFilter, state: 'problem' }, page: 0 },
      rows: [],
      count: 0,
      channels: 0,
      hidden: { privateChannels: 0, directMessages: 1 },
      complete: true,
      metadata: '{}',
    }),
  },
  {
    title: 'The audit log',
    message: auditView({
      lines: [
        { at, by: dana, act: 'subscribe', channelId: 'C0PLANS001', subscribed: tower, detail: null },
        {
          at,
          by: max,
          act: 'change settings',
          channelId: null,
          subscribed: null,
          detail: { changes: [{ title: 'Allowed projects', before: 'all', after: '123-456-789' }] },
        },
        { at, by: max, act: 'pause subscription', channelId: null, subscribed: tower, detail: null },
        { at, by: null, act: 'replay dead letters', channelId: 'C0PLANS001', subscribed: null, detail: null },
        { at, by: max, act: 'of a newer release', channelId: null, subscribed: null, detail: null },
      ],
      isNewest: false,
      olderValue: '4711',
      metadata: '{}',
    }),
  },
  {
    title: 'The audit log, empty',
    message: auditView({ lines: [], isNewest: true, olderValue: null, metadata: '{}' }),
  },
  {
    title: 'Several paused at once',
    message: subscriptionsPausedBy(max, [towerRow, { id: 's2', subscribed: review }], '/subscriptions'),
  },
  {
    title: 'More paused at once than are named',
    message: subscriptionsPausedBy(
      max,
      Array.from({ length: 25 }, () => towerRow),
      '/subscriptions',
    ),
  },
  { title: 'Not in a shared channel', message: sharedNotAllowed },
  { title: 'Remove data', message: removeDataForm() },
  {
    title: 'Data of a channel removed',
    message: dataRemoved({ kind: 'channel', channelId: 'C0PLANS001', isElsewhere: false }, 3),
  },
  {
    title: 'Data of a channel removed that another workspace subscribed',
    message: dataRemoved({ kind: 'channel', channelId: 'C0PLANS001', isElsewhere: true }, 0),
  },
  {
    title: 'Data of a person removed',
    message: dataRemoved({ kind: 'person', who: dana }, 1),
  },
  {
    title: 'Export',
    message: exportedLines({
      parts: [
        '#plans\n/subscribe project 412-873-550 live',
        'C0HARBOUR1\n/subscribe session 731-450-286 live',
      ],
      count: 2,
      tooLong: 0,
      of: 2,
      isShort: false,
    }),
  },
  {
    title: 'Export, more than fits',
    message: exportedLines({ parts: ['#plans'], count: 90, tooLong: 2, of: 400, isShort: true }),
  },
  { title: 'Nothing to export', message: nothingToExport },
  { title: 'Nothing to export, as far as is known', message: channelsUnknown },
  { title: 'Import', message: importForm(null, '{}') },
  { title: 'Import, being checked', message: importForm('checking', '{}') },
  { title: 'Import, checked', message: importForm(verdicts, '{}') },
  {
    title: 'Import, nothing that can be imported',
    message: importForm(verdicts.slice(0, 1), '{}'),
  },
  {
    title: 'Import, as many lines as there can be',
    message: importForm(Array.from({ length: 40 }, () => verdicts).flat(), '{}'),
  },
  { title: 'Import, once linked', message: importReady },
  { title: 'Import done', message: importDone(12, []) },
  {
    title: 'Import done, not all of it',
    message: importDone(1, [{ line: 3, said: 'You may not see this project.\nNothing changed.' }]),
  },
];

/** Every place that shows a project, drawn with its name, or without one that is known and may be shown there. */
const namedPlaces: Readonly<Record<string, (name: string | null) => GalleryCase['message']>> = {
  'a channel with several subscriptions': (name) =>
    live([makeChange({ within: { ...harbourTower, name } })], { look: { ...plainLook, places: true } }),
  'a digest': (name) =>
    renderActivity({
      changes: stored([makeChange({ within: { ...harbourTower, name } })]),
      now,
      mode: 'summary',
      because: 'digest',
      since: minutesAgo(24 * 60),
    }),
  'a recap': (name) => recap({ changes: stored([makeChange({ within: { ...harbourTower, name } })]) }),
  'a new subscription': (name) =>
    subscriptionMade({
      id: rowId,
      by: dana,
      subscribed: { ...tower, name },
      settings: everything,
      undoValue,
    }),
  'a new subscription to a folder in it': (parentName) =>
    subscriptionMade({
      id: rowId,
      by: dana,
      subscribed: { ...folder, parentName },
      settings: everything,
      undoValue,
    }),
  'the list of a channel': (name) =>
    subscriptionList({ purpose: 'subscriptions', rows: rowsNamed(name), page: 0 }),
  'the list to remove from': (name) =>
    subscriptionList({ purpose: 'unsubscribe', rows: rowsNamed(name), page: 0 }),
  'the form': (name) => formFor({}, { recognized: { target: projectStart.target, name } }),
  'a posted link': (name) => linkPreview({ ...unknownLink, target: linkedProject, name }),
  'a posted link to an item of it': (parentName) =>
    linkPreview({ ...unknownLink, target: linkedItem, parentName }),
  'a message with several links': (name) =>
    linksQuestion([
      { target: linkedProject, name },
      { target: linkedItem, name: null },
    ]),
  'the question about too many messages': (name) =>
    tooMuch({ id: rowId, channelId: 'C0HARBOUR1', subscribed: { ...tower, name }, total: 84, count: 71 }),
  Home: (name) =>
    homeView({
      link: { state: 'active', ...linkedAccount },
      rows: rowsNamed(name).map((row) => ({ ...row, channelId: 'C0PLANS001' })),
      page: 0,
      channelsKnown: true,
      admin: false,
      copy,
    }),
  'all subscriptions of a workspace': (name) =>
    workspaceView({
      screen: { filter: noFilter, page: 0 },
      rows: rowsNamed(name).map((row) => ({ ...row, channelId: 'C0PLANS001' })),
      count: 1,
      channels: 1,
      hidden: { privateChannels: 0, directMessages: 0 },
      complete: true,
      metadata: '{}',
    }),
  'the audit log': (name) =>
    auditView({
      lines: [
        {
          at,
          by: dana,
          act: 'subscribe',
          channelId: 'C0PLANS001',
          subscribed: { ...tower, name },
          detail: null,
        },
      ],
      isNewest: true,
      olderValue: null,
      metadata: '{}',
    }),
  'the check of an import': (name) => importForm([{ ...wantedLine, kind: 'add', line: 1, name }], '{}'),
};

const rowsNamed = (name: string | null) =>
  rows.slice(0, 1).map((row) => ({ ...row, subscribed: { ...tower, name } }));

const names: readonly GalleryCase[] = Object.entries(namedPlaces).flatMap(([place, draw]) => [
  { title: `Before a name is known: ${place}`, message: draw(null) },
  { title: `Once a name is known: ${place}`, message: draw('Harbour Tower') },
]);

/** Every message and form that the bot can show, in the order in which people meet them. */
export const galleryGroups: readonly GalleryGroup[] = [
  { name: 'Single events', cases: [...sentences, ...otherKinds] },
  { name: 'Bursts and digests', cases: cards },
  { name: 'Announcements', cases: announcements },
  { name: 'Linking in Slack', cases: linking },
  { name: 'Answers and errors', cases: answers },
  { name: 'Posted links', cases: previews },
  { name: 'Lists and help', cases: lists },
  { name: 'Forms', cases: [...forms, ...quietForms] },
  { name: 'Home', cases: homes },
  { name: 'Pause, resume, undo', cases: upkeepOfOne },
  { name: 'Recap', cases: recaps },
  { name: 'Why and doctor', cases: explanations },
  { name: 'Admins', cases: [...permissions, ...administering] },
  { name: 'Before and after a name is known', cases: names },
];

/** People who can be chosen in its forms. */
export const galleryPeople = [dana, max, sam];

export const galleryCases: readonly GalleryCase[] = galleryGroups.flatMap(({ cases }) => cases);
