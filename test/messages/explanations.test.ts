import fc from 'fast-check';
import { expect, test } from 'vitest';
import { validateBlocks, validateView } from '../../sandbox/slack/block-kit.ts';
import type { PauseReason, Trouble } from '../../src/core/model/pause-reason.ts';
import { defaultSettings } from '../../src/core/model/settings.ts';
import type { Postable } from '../../src/core/model/slack-access.ts';
import {
  mayNot,
  requestAnswered,
  requestOutcome,
  requestToAdmin,
} from '../../src/messages/admin/requests.ts';
import {
  mostProjects,
  readSettingsForm,
  settingsForm,
  settingsInWords,
} from '../../src/messages/admin/settings.ts';
import { doctorReport, subscriptionsChecked } from '../../src/messages/explaining/doctor.ts';
import type { RemoteState } from '../../src/messages/explaining/findings.ts';
import * as findings from '../../src/messages/explaining/findings.ts';
import {
  endedShown,
  eventsEach,
  eventsShown,
  type Origin,
  subscriptionsAPage,
  type TracedEvent,
  whyThisChannel,
  whyThisMessage,
} from '../../src/messages/explaining/why.ts';
import type { SubscriptionSettings } from '../../src/messages/text/copy.ts';
import { charactersOf, limits } from '../../src/messages/text/limits.ts';
import type { Message } from '../../src/messages/text/message.ts';
import { bareAmpersandsIn, markupIn, unseenIn } from './as-slack-reads.ts';
import { now } from './changes.ts';
import { anyChange, anyFilters, anyTarget, anyText } from './nasty.ts';

const commands = {
  subscribe: '/subscribe',
  unsubscribe: '/unsubscribe',
  subscriptions: '/subscriptions',
  plancast: '/plancast',
};
const anyCopy = anyText.map((serviceName) => ({ serviceName, commands }));
const anySubscribed = fc.record({
  target: anyTarget,
  name: fc.option(anyText),
  comprehensive: fc.boolean(),
});
const anyWho = fc.record({ userId: anyText, name: anyText });
const anyId = fc.uuid();
const anySettings: fc.Arbitrary<SubscriptionSettings> = fc.record({
  filters: anyFilters,
  delivery: fc.oneof(
    fc.constant({ when: 'live' as const }),
    fc.record({ when: fc.constant('daily' as const), at: anyText, zone: anyText }),
  ),
  threads: fc.boolean(),
});
const anyOrigin: fc.Arbitrary<Origin> = fc.record({
  id: fc.constant('0b7e0d1e-30c2-4f4e-9a51-6f1f0a3d5c01'),
  subscribed: anySubscribed,
  madeBy: anyWho,
  madeAt: fc.constant(now),
  carriedOnBy: fc.option(anyWho),
  settings: anySettings,
  changedAt: fc.constantFrom(null, now),
});
const anyReason = fc.oneof(
  fc.constantFrom('type', 'person', 'path', 'item', 'covered', 'ended', 'stale', 'muted', 'digest', 'paused'),
  anyText,
);
const anyEvent: fc.Arbitrary<TracedEvent> = fc.record({
  change: fc.option(anyChange),
  receivedAt: fc.constant(now),
  postedAt: fc.constantFrom(null, now),
  state: fc.constantFrom('posted' as const, 'pending' as const, 'filtered' as const, 'dead' as const),
  reason: fc.option(anyReason),
  through: fc.option(anyOrigin, { nil: undefined }),
  duplicateOf: fc.option(anySubscribed),
  silence: fc.constantFrom(
    null,
    { by: 'mute' as const, until: now },
    { by: 'quiet hours' as const, until: now },
  ),
});
const anyRemote: fc.Arbitrary<RemoteState> = fc.oneof(
  fc.constantFrom<RemoteState>('fine', 'gone', 'elsewhere'),
  fc.record({ odd: anyText }),
  fc.record({ error: anyText }),
);
const tower = {
  target: { kind: 'project' as const, projectId: '123-456-789' },
  name: 'Harbour Tower',
  comprehensive: true,
};
const anyTrouble = fc.constantFrom<Trouble>({ kind: 'places' }, { kind: 'unmatched', count: 20 });
const anyNamedRow = fc.record({ id: anyId, subscribed: anySubscribed });
const anyPause = fc.record({
  reason: fc.constantFrom<PauseReason>('link lost', 'not in channel', 'not sent any more', 'by a person'),
  owner: anyWho,
});
const anyState = fc.constantFrom('active' as const, 'pending' as const, 'paused' as const);
const anyLinkState = fc.constantFrom(
  'active' as const,
  'relink' as const,
  'frozen' as const,
  'none' as const,
);
const anyFinding: fc.Arbitrary<findings.Finding> = fc.oneof(
  fc
    .tuple(fc.constantFrom<Postable>('yes', 'not in channel', 'archived'), anyText)
    .map(([postable, botName]) => findings.posting(postable, { botName, personal: false })),
  fc.tuple(anyText, fc.boolean()).map((args) => findings.closed(...args)),
  fc.tuple(fc.nat(), anyText).map((args) => findings.dead(...args)),
  fc.constant(findings.muted(now)),
  fc
    .tuple(anyNamedRow, fc.record({ state: anyState, pause: anyPause }), anyText, anyCopy)
    .map(([row, how, botName, copy]) => findings.stateOf({ ...row, ...how }, botName, copy)),
  fc.tuple(anyWho, fc.boolean(), anyLinkState, anyCopy).map((args) => findings.linkOf(...args)),
  fc.tuple(anyRemote, anyNamedRow, anyCopy).map((args) => findings.remote(...args)),
  fc.tuple(anyTrouble, anyNamedRow, fc.boolean()).map((args) => findings.troubled(...args)),
);
const anyFindings = fc.array(anyFinding, { maxLength: 8 });

/** The only markup in a message is our own: dates and channels. */
const ours = /^<!date\^\d+\^\{[^|<>]*\|[^<>|]*(?: UTC| \d{4})>$|^<#[A-Z0-9]{2,30}>$/;

function expectPostable({ text, blocks }: Message): void {
  expect(validateBlocks(blocks, 'message')).toEqual([]);
  expect(text.length).toBeGreaterThan(0);
  expect(text.length).toBeLessThanOrEqual(limits.text);
  expect(text.length + charactersOf(blocks)).toBeLessThanOrEqual(limits.messageCharacters);
  for (const each of [text, ...mrkdwnIn(blocks)]) {
    expect(markupIn(each).filter((markup) => !ours.test(markup))).toEqual([]);
    expect(bareAmpersandsIn(each)).toEqual([]);
    expect(unseenIn(each)).toEqual([]);
  }
}

function mrkdwnIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const isOne = 'type' in value && value.type === 'mrkdwn' && 'text' in value;
  return [...(isOne ? [String(value.text)] : []), ...Object.values(value).flatMap(mrkdwnIn)];
}

const runs = { numRuns: 80 };

test('why this message: any content makes an answer that Slack accepts', () => {
  fc.assert(
    fc.property(
      fc.record({
        count: fc.nat(),
        first: fc.constant(now),
        last: fc.constant(now),
        postedAt: fc.option(fc.constant(now)),
        through: fc.array(
          fc.tuple(anyOrigin, fc.nat()).map(([origin, count]) => ({ ...origin, count })),
          { minLength: 1, maxLength: 30 },
        ),
        events: fc.array(anyEvent, { maxLength: eventsShown }),
      }),
      (why) => expectPostable(whyThisMessage(why)),
    ),
    runs,
  );
});

test('why nothing: a page with the longest names and every possible problem is an answer that Slack accepts', () => {
  fc.assert(
    fc.property(
      fc.record({
        page: fc.constant(1),
        pages: fc.constant(3),
        channel: anyFindings,
        subscriptions: fc.array(
          fc.record({
            origin: anyOrigin,
            events: fc.array(anyEvent, { maxLength: eventsEach }),
            findings: anyFindings,
          }),
          { maxLength: subscriptionsAPage },
        ),
        ended: fc.array(
          fc.record({
            subscribed: anySubscribed,
            at: fc.constant(now),
            reason: fc.option(anyText),
            by: fc.option(anyWho),
          }),
          { maxLength: endedShown },
        ),
        personal: fc.boolean(),
      }),
      (why) => expectPostable(whyThisChannel(why)),
    ),
    runs,
  );
});

test('the doctor: any number of problems makes an answer that Slack accepts', () => {
  fc.assert(
    fc.property(
      fc.record({
        channel: anyFindings,
        subscriptions: fc.array(fc.record({ subscribed: anySubscribed, findings: anyFindings }), {
          maxLength: subscriptionsChecked,
        }),
        unchecked: fc.nat(),
        lastPost: fc.constantFrom(undefined, now),
        detailed: fc.boolean(),
        personal: fc.boolean(),
        copy: anyCopy,
      }),
      (report) => expectPostable(doctorReport(report)),
    ),
    runs,
  );
});

const shortReport = { unchecked: 0, lastPost: undefined, detailed: true, personal: false };

test.each<RemoteState>(['fine', 'elsewhere', { odd: 'Suspended' }])(
  'what is found at a service whose name starts with “the” is a sentence that starts with a capital letter: %j',
  (state) => {
    const copy = { serviceName: 'the collaboration service', commands };
    const channel = [findings.remote(state, { id: 's1', subscribed: tower }, copy)];
    const report = doctorReport({ ...shortReport, channel, subscriptions: [], copy });
    expect(mrkdwnIn(report.blocks).join('\n')).toMatch(/\*(OK|Problem)\*: [A-Z]/);
  },
);

test('if there are more problems than a message can hold, those that fit are shown and the rest are counted', () => {
  const longest = '&'.repeat(130);
  const subscribed = {
    target: { kind: 'project' as const, projectId: '123-456-789' },
    name: longest,
    comprehensive: true,
  };
  const copy = { serviceName: longest, commands };
  const paused = {
    id: 's1',
    subscribed,
    state: 'paused' as const,
    pause: { reason: 'link lost' as const, owner: { userId: 'U0DANAEK01', name: longest } },
  };
  const report = (found: readonly findings.Finding[]) =>
    doctorReport({
      ...shortReport,
      channel: [],
      subscriptions: Array.from({ length: subscriptionsChecked }, () => ({ subscribed, findings: found })),
      copy,
    });
  const manyLong = report(Array.from({ length: 5 }, () => findings.stateOf(paused, 'plancast', copy)));
  const manyShort = report(Array.from({ length: 8 }, () => findings.dead(1, 'x')));
  for (const message of [manyLong, manyShort]) {
    expectPostable(message);
    expect(mrkdwnIn(message.blocks).join('\n')).toMatch(/… and \d+ more paragraphs?/);
  }
});

test('asking an admin: any request by any person makes messages that Slack accepts', () => {
  fc.assert(
    fc.property(anyWho, anyText, anyCopy, (by, line, copy) => {
      const channelId = 'C0HARBOUR1';
      for (const message of [
        mayNot({ kind: 'project', projectId: line }, false, 'q'),
        requestToAdmin({ by, channelId, isShared: true, line, value: 'q', copy }),
        requestAnswered({ as: 'allowed', by, asker: by, line }),
        requestOutcome({ as: 'declined', by, channelId, line }),
      ]) {
        expectPostable(message);
      }
    }),
    runs,
  );
});

test('the settings: the maximum of people and projects makes a form and a text that Slack accepts', () => {
  const userIds = Array.from({ length: 300 }, (_, index) => `U0PERSON${String(index).padStart(3, '0')}`);
  const projects = Array.from({ length: 400 }, (_, index) => `100-000-${String(index).padStart(3, '0')}`);
  const settings = {
    ...defaultSettings,
    subscribers: { kind: 'people' as const, userIds },
    projects,
    signs: true,
  };
  expect(validateView(settingsForm(settings, 'x'.repeat(limits.privateMetadata)))).toEqual([]);
  const people = userIds.map((userId) => ({ userId, name: '&'.repeat(130) }));
  expectPostable(settingsInWords(settings, people, false));
});

test('the form shows all projects that can be stored, so submitting it again loses none', () => {
  const projects = Array.from({ length: mostProjects }, (_, index) => `100-000-${100 + index}`);
  const form = JSON.stringify(
    settingsForm({ ...defaultSettings, subscribers: { kind: 'everyone' }, projects, signs: true }, ''),
  );
  expect(form).toContain(JSON.stringify(projects.join('\n')));
});

test('an invalid project id is named in the error of its field, and cut', () => {
  fc.assert(
    fc.property(anyText, (project) => {
      const read = readSettingsForm((id) =>
        id === 'settings_projects' ? { value: `x${project}` } : undefined,
      );
      const errors = 'errors' in read ? read.errors : {};
      expect(Object.keys(errors)).toEqual(['settings_projects']);
      expect(String(errors.settings_projects).length).toBeLessThanOrEqual(limits.fieldError);
    }),
    runs,
  );
});
