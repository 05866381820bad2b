import fc from 'fast-check';
import { expect, test } from 'vitest';
import { validateView } from '../../../sandbox/slack/block-kit.ts';
import { renderActivity } from '../../../src/messages/activity/activity.ts';
import { showAllView } from '../../../src/messages/activity/show-all.ts';
import { now } from '../changes.ts';
import { anyChange } from '../nasty.ts';
import { anyActivity, expectPostable, expectSafe, textsOf } from '../postable.ts';

/** The properties of `limits.test.ts`, as often as a release is worth. A failing case is shown as it came: the seed finds it again. */
const runs = { numRuns: 10_000, endOnFailure: true };
/** A quarter of a minute each on an idle machine. */
const timeout = 600_000;

test(
  'whatever 10,000 bursts hold, each is a message within Slack’s limits, with nothing unescaped or unseen',
  () => {
    fc.assert(
      fc.property(anyActivity(10), (activity) => expectPostable(renderActivity(activity))),
      runs,
    );
  },
  timeout,
);

test(
  'whatever 10,000 single changes hold, each is a message within Slack’s limits, with nothing unescaped or unseen',
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
  'whatever 10,000 full lists hold, every page is a form within Slack’s limits, with nothing unescaped or unseen',
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
