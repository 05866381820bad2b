import fc from 'fast-check';
import { expect, test } from 'vitest';
import { validateView } from '../../../sandbox/slack/block-kit.ts';
import { renderActivity } from '../../../src/messages/activity/activity.ts';
import { showAllView } from '../../../src/messages/activity/show-all.ts';
import { subscriptionChanged, subscriptionMade } from '../../../src/messages/subscribing/announcements.ts';
import type { ListedSubscription } from '../../../src/messages/subscribing/list-rows.ts';
import { subscriptionList } from '../../../src/messages/subscribing/lists.ts';
import { now } from '../changes.ts';
import { anyChange, anyText } from '../nasty.ts';
import {
  anyActivity,
  anyMentioned,
  anySettings,
  anySubscribed,
  expectOnlyPing,
  expectPostable,
  expectSafe,
  textsOf,
} from '../postable.ts';

/** The properties of `limits.test.ts`, as often as a release deserves. A failing case is not shrunk; the seed reproduces it. */
const runs = { numRuns: 10_000, endOnFailure: true };
/** 15 seconds each on an idle machine. */
const timeout = 600_000;

test(
  "each of 10,000 random bursts is a message within Slack's limits, with nothing unescaped or invisible",
  () => {
    fc.assert(
      fc.property(anyActivity(10), (activity) => expectPostable(renderActivity(activity))),
      runs,
    );
  },
  timeout,
);

test(
  "each of 10,000 random single changes is a message within Slack's limits, with nothing unescaped or invisible",
  () => {
    fc.assert(
      fc.property(anyChange, fc.boolean(), (change, endedSubscription) =>
        expectPostable(renderActivity({ changes: [change], now, mode: 'live', endedSubscription })),
      ),
      runs,
    );
  },
  timeout,
);

test(
  '10,000 random activities that mention someone ping the chosen person or group, and nobody else',
  () => {
    fc.assert(fc.property(anyActivity(10), anyMentioned, expectOnlyPing), runs);
  },
  timeout,
);

test(
  '10,000 random settings with whom they mention: what announces, changes and lists them pings nobody',
  () => {
    fc.assert(
      fc.property(
        anySubscribed,
        fc.tuple(anySettings, anySettings),
        anyText,
        (subscribed, [before, after], name) => {
          const by = { userId: 'U0SAM', name };
          const made = { id: 's1', by, subscribed, undoValue: 'v' };
          expectPostable(subscriptionMade({ ...made, settings: before }));
          expectPostable(subscriptionChanged({ ...made, change: { before, after } }));
          const row: ListedSubscription = {
            id: 's1',
            subscribed,
            owner: by,
            settings: after,
            state: 'active',
            lastEventAt: now,
          };
          expectPostable(subscriptionList({ purpose: 'subscriptions', rows: [row], page: 0 }));
        },
      ),
      runs,
    );
  },
  timeout,
);

test(
  '10,000 times the same changes make the same message',
  () => {
    fc.assert(
      fc.property(anyActivity(10), (activity) => {
        expect(JSON.stringify(renderActivity(structuredClone(activity)))).toBe(
          JSON.stringify(renderActivity(activity)),
        );
      }),
      runs,
    );
  },
  timeout,
);

test(
  "every page of 10,000 random full lists is a form within Slack's limits, with nothing unescaped or invisible",
  () => {
    fc.assert(
      fc.property(fc.array(anyChange, { maxLength: 10 }), fc.nat(3), (changes, page) => {
        const view = showAllView({ changes, page, metadata: 'v' });
        expect(validateView(view)).toEqual([]);
        expectSafe(textsOf(view.blocks, 'mrkdwn'));
      }),
      runs,
    );
  },
  timeout,
);
