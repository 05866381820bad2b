import fc from 'fast-check';
import { expect, test } from 'vitest';
import { validateBlocks, validateView } from '../../sandbox/slack/block-kit.ts';
import type { PauseReason } from '../../src/core/model/pause-reason.ts';
import { defaultSettings } from '../../src/core/model/settings.ts';
import type { Postable } from '../../src/core/model/slack-access.ts';
import type { Trouble } from '../../src/core/model/trouble.ts';
import {
  mayNot,
  requestAnswered,
  requestOutcome,
  requestToAdmin,
} from '../../src/messages/admin/requests.ts';
import {
  mostProjects,
  settingsErrors,
  settingsForm,
  settingsInWords,
} from '../../src/messages/admin/settings.ts';
import { doctorReport, subscriptionsChecked } from '../../src/messages/explaining/doctor.ts';
import type { Finding, RemoteState } from '../../src/messages/explaining/findings.ts';
import type { Outcome, TracedEvent } from '../../src/messages/explaining/traced-event.ts';
import {
  endedShown,
  eventsEach,
  eventsShown,
  type Origin,
  subscriptionsAPage,
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
});
const anyOutcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc.record({ kind: fc.constant('posted' as const), at: fc.option(fc.constant(now)) }),
  fc.record({
    kind: fc.constant('filtered' as const),
    by: fc.constantFrom('type' as const, 'person' as const, 'path' as const),
    settings: anySettings,
  }),
  fc.record({ kind: fc.constant('duplicate' as const), of: fc.option(anySubscribed) }),
  fc.record({
    kind: fc.constant('muted' as const),
    by: fc.constantFrom('mute' as const, 'quiet hours' as const),
    until: fc.option(fc.constant(now)),
  }),
  fc.record({ kind: fc.constant('dead' as const), error: anyText }),
  fc.record({ kind: fc.constant('other' as const), reason: anyText }),
  fc.constantFrom<Outcome>({ kind: 'ended' }, { kind: 'stale' }, { kind: 'next' }, { kind: 'paused' }),
);
const anyEvent: fc.Arbitrary<TracedEvent> = fc.record({
  change: fc.option(anyChange),
  receivedAt: fc.constant(now),
  outcome: anyOutcome,
});
const anyRemote: fc.Arbitrary<RemoteState> = fc.oneof(
  fc.constantFrom<RemoteState>({ kind: 'fine' }, { kind: 'gone' }, { kind: 'elsewhere' }),
  fc.record({ kind: fc.constant('odd' as const), status: anyText }),
  fc.record({ kind: fc.constant('no answer' as const), forPerson: anyText }),
);
const tower = {
  target: { kind: 'project' as const, projectId: '123-456-789' },
  name: 'Harbour Tower',
  comprehensive: true,
};
const anyTrouble = fc.constantFrom<Trouble>(
  { kind: 'places' },
  { kind: 'unmatched', count: 20 },
  { kind: 'too many paths' },
);
const anyNamedRow = fc.record({ id: anyId, subscribed: anySubscribed });
const anyFinding: fc.Arbitrary<Finding> = fc.oneof(
  fc.record({
    about: fc.constant('posting' as const),
    postable: fc.constantFrom<Postable>('yes', 'not in channel', 'archived'),
    botName: anyText,
  }),
  fc.record({ about: fc.constant('closed' as const), error: anyText, isOpenAgain: fc.boolean() }),
  fc.record({ about: fc.constant('dead' as const), count: fc.nat(), error: anyText }),
  fc.record({ about: fc.constant('muted' as const), until: fc.constant(now) }),
  fc.record({
    about: fc.constant('state' as const),
    state: fc.constantFrom('active' as const, 'pending' as const, 'paused' as const),
    row: anyNamedRow,
    pause: fc.record({
      reason: fc.constantFrom<PauseReason>('link lost', 'not in channel', 'not sent any more', 'by a person'),
      owner: anyWho,
    }),
    botName: anyText,
  }),
  fc.record({
    about: fc.constant('link' as const),
    owner: anyWho,
    isReader: fc.boolean(),
    state: fc.constantFrom('active' as const, 'relink' as const, 'frozen' as const, 'none' as const),
  }),
  fc.record({ about: fc.constant('remote' as const), state: anyRemote, row: anyNamedRow }),
  fc.record({ about: fc.constant('trouble' as const), trouble: anyTrouble, row: anyNamedRow }),
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
        filtered: fc.record({ count: fc.nat(), events: fc.array(anyEvent, { maxLength: eventsShown }) }),
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
        copy: anyCopy,
      }),
      (why) => expectPostable(whyThisChannel(why)),
    ),
    runs,
  );
});

test('the doctor: any number of problems makes an answer that Slack accepts, including the text for support', () => {
  fc.assert(
    fc.property(
      fc.record({
        channel: anyFindings,
        subscriptions: fc.array(fc.record({ subscribed: anySubscribed, findings: anyFindings }), {
          maxLength: subscriptionsChecked,
        }),
        unchecked: fc.nat(),
        detailed: fc.constant(true),
        support: fc.array(fc.stringMatching(/^[\w :,.-]{1,300}$/), { minLength: 1, maxLength: 30 }),
        copy: anyCopy,
      }),
      (report) => {
        const message = doctorReport(report);
        expectPostable(message);
        expect(message.blocks.at(-1)?.type).toBe('rich_text');
      },
    ),
    runs,
  );
});

test.each<RemoteState>([{ kind: 'fine' }, { kind: 'elsewhere' }, { kind: 'odd', status: 'Suspended' }])(
  'what is found at a service whose name starts with “the” is a sentence that starts with a capital letter: $kind',
  (state) => {
    const report = doctorReport({
      channel: [{ about: 'remote', state, row: { id: 's1', subscribed: tower } }],
      subscriptions: [],
      unchecked: 0,
      detailed: true,
      support: ['x'],
      copy: { serviceName: 'the collaboration service', commands },
    });
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
  const owner = { userId: 'U0DANAEK01', name: longest };
  const finding: Finding = {
    about: 'state',
    state: 'paused',
    row: { id: 's1', subscribed },
    pause: { reason: 'link lost', owner },
    botName: 'plancast',
  };
  const copy = { serviceName: longest, commands };
  const report = (findings: readonly Finding[]) =>
    doctorReport({
      channel: [],
      subscriptions: Array.from({ length: subscriptionsChecked }, () => ({ subscribed, findings })),
      unchecked: 0,
      detailed: true,
      support: ['x'.repeat(200)],
      copy,
    });
  const manyLong = report(Array.from({ length: 5 }, () => finding));
  const manyShort = report(Array.from({ length: 8 }, () => ({ about: 'dead', count: 1, error: 'x' })));
  for (const message of [manyLong, manyShort]) {
    expectPostable(message);
    expect(mrkdwnIn(message.blocks).join('\n')).toMatch(/… and \d more paragraphs?/);
  }
});

test('asking an admin: any request by any person makes messages that Slack accepts', () => {
  fc.assert(
    fc.property(anyWho, anyText, anyCopy, fc.array(anyWho, { maxLength: 20 }), (by, line, copy, admins) => {
      const channelId = 'C0HARBOUR1';
      for (const message of [
        mayNot({ why: { kind: 'project', projectId: line }, admins, askValue: 'q' }),
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
  expectPostable(settingsInWords({ settings, people, mayChange: false }));
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
      const errors = settingsErrors({ project });
      expect(Object.keys(errors)).toEqual(['settings_projects']);
      expect(String(errors.settings_projects).length).toBeLessThanOrEqual(limits.fieldError);
    }),
    runs,
  );
});
