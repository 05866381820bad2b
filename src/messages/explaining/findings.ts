import type { Button } from '@slack/types';
import { maxWildcards } from '../../core/model/glob.ts';
import { isOwnerReason, pausedByPerson } from '../../core/model/pause-reason.ts';
import type { QuietHours } from '../../core/model/quiet-hours.ts';
import type { SubscribeRequest } from '../../core/model/request.ts';
import type { FeaturesOff, Postable } from '../../core/model/slack-access.ts';
import type { SubscriptionState } from '../../core/model/subscription.ts';
import type { Trouble } from '../../core/model/trouble.ts';
import { maxGlobsLength, maxListLength } from '../../core/model/typed-text.ts';
import { whyNotPostable } from '../subscribing/refusals.ts';
import { editButton, type NamedRow, resumeButton, takeOverButton } from '../subscribing/row-buttons.ts';
import {
  type Copy,
  describeOff,
  describePause,
  describeQuiet,
  describeRemedy,
  type Pause,
  type Who,
  whoIs,
  whose,
} from '../text/copy.ts';
import { requestButton } from '../text/message.ts';
import {
  capital,
  counted,
  link,
  type Phrase,
  plainly,
  quoted,
  say,
  sentence,
  time,
  typed,
} from '../text/phrase.ts';
import { deadReason } from './dead-reasons.ts';

/** The state of a person's link. `frozen`: they are no longer a full member of the workspace. */
export type LinkState = 'active' | 'relink' | 'frozen' | 'none';

/** The state of the remote subscription, according to the service. */
export type RemoteState =
  | { readonly kind: 'fine' }
  /** The service reports this state instead of the usual one. */
  | { readonly kind: 'odd'; readonly status: string }
  | { readonly kind: 'being made' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'forbidden' }
  /** It sends to a callback URL that is not this bot's. */
  | { readonly kind: 'elsewhere' }
  /** `forPerson`: a whole sentence. */
  | { readonly kind: 'no answer'; readonly forPerson: string }
  /** There is no working link with which to ask. */
  | { readonly kind: 'not asked' };

/** The result of one check. Each `row` is what the buttons that fix the problem are about. */
export type Finding =
  | {
      readonly about: 'posting';
      readonly postable: Postable;
      readonly botName: string;
      /** Whether this is the reader's own direct message with the bot. */
      readonly personal?: boolean | undefined;
    }
  /** Slack refused a post, and nothing is retried until that is fixed. `error`: Slack's error code. */
  | { readonly about: 'closed'; readonly error: string; readonly isOpenAgain: boolean }
  | { readonly about: 'muted'; readonly until: Date }
  /** `until`: null outside of them. */
  | { readonly about: 'quiet'; readonly hours: QuietHours; readonly until: Date | null }
  /** The next attempt is deferred after `failures` failed ones; 0 if Slack asked us to wait. */
  | { readonly about: 'delay'; readonly until: Date; readonly failures: number }
  | { readonly about: 'waiting'; readonly count: number; readonly oldest: Date; readonly isLate: boolean }
  | { readonly about: 'dead'; readonly count: number; readonly error: string }
  | { readonly about: 'features'; readonly off: FeaturesOff }
  | {
      readonly about: 'state';
      readonly state: SubscriptionState;
      readonly row: NamedRow;
      readonly pause?: Pause | undefined;
      readonly botName: string;
    }
  | {
      readonly about: 'link';
      readonly owner: Who;
      readonly isReader: boolean;
      readonly state: LinkState;
    }
  /** A file is followed by itself. */
  | { readonly about: 'versions' }
  /** `personal`: in the reader's own direct message with the bot. */
  | {
      readonly about: 'trouble';
      readonly trouble: Trouble;
      readonly row: NamedRow;
      readonly personal?: boolean | undefined;
    }
  | { readonly about: 'remote'; readonly state: RemoteState; readonly row: NamedRow }
  | { readonly about: 'last event'; readonly at: Date | null }
  | { readonly about: 'last post'; readonly at: Date | null };

/** `note`: intentional, or neither good nor bad. */
export type Verdict = 'ok' | 'not ok' | 'note';

/** A finding in words, with its remedy and a button for it, if there are any. */
export type Said = {
  readonly verdict: Verdict;
  readonly words: Phrase;
  readonly remedy?: Phrase | undefined;
  readonly button?: Button | undefined;
};

const ok = (words: Phrase): Said => ({ verdict: 'ok', words });
const note = (words: Phrase, more: Partial<Said> = {}): Said => ({ verdict: 'note', words, ...more });
const problem = (words: Phrase, more: Partial<Said> = {}): Said => ({ verdict: 'not ok', words, ...more });

/** Returns the findings worth showing. The times of the last activity are only details, even if there was none. */
export function notable(findings: readonly Finding[], copy: Copy): Finding[] {
  return findings.filter(
    (finding) =>
      finding.about !== 'last event' &&
      finding.about !== 'last post' &&
      describeFinding(finding, copy).verdict !== 'ok',
  );
}

/** Puts a finding into words. */
export function describeFinding(finding: Finding, copy: Copy): Said {
  const service = plainly(copy.serviceName);
  switch (finding.about) {
    case 'posting': {
      const { postable, botName, personal } = finding;
      if (postable !== 'yes') return problem(whyNotPostable({ why: postable, botName }, 'check'));
      return ok(personal ? say`I can send you direct messages.` : say`I can post in this channel.`);
    }
    case 'closed':
      return describeClosed(finding);
    case 'muted':
      return note(say`I’m muted here until ${time(finding.until)}. I’ll post a summary when the mute ends.`, {
        button: requestButton('Unmute', { act: 'unmute' }),
      });
    case 'quiet':
      return finding.until === null
        ? note(say`Quiet hours here are ${describeQuiet(finding.hours)}.`)
        : note(
            say`It’s quiet here until ${time(finding.until)}: ${describeQuiet(finding.hours)}. Then I’ll post a summary.`,
            {
              button: requestButton(
                'Unmute',
                { act: 'unmute' },
                { spokenAfter: say` until the next quiet hours` },
              ),
            },
          );
    case 'delay':
      return describeDelay(finding);
    case 'waiting':
      return describeWaiting(finding);
    case 'dead':
      return describeDead(finding);
    case 'features':
      return finding.off.features.length === 0
        ? ok(say`This workspace has granted all permissions.`)
        : note(describeOff(finding.off), {
            remedy: say`An admin can ${link('install Plancast again', finding.off.installUrl)} to grant them.`,
          });
    case 'state':
      return describeState(finding, copy);
    case 'link':
      return describeLink(finding, copy);
    case 'versions':
      return note(say`It follows the file itself, and ${service} may not report its new versions.`);
    case 'trouble':
      return describeTrouble(finding, copy);
    case 'remote':
      return describeRemote(finding, copy);
    case 'last event':
      return finding.at === null
        ? note(say`No activity from ${service} yet.`)
        : ok(say`Last activity: ${time(finding.at)}.`);
    case 'last post':
      return finding.at === null ? note(say`Nothing posted yet.`) : ok(say`Last post: ${time(finding.at)}.`);
  }
}

type About<A extends Finding['about']> = Extract<Finding, { readonly about: A }>;

function describeClosed({ error, isOpenAgain }: About<'closed'>): Said {
  const words: Phrase = say`Slack doesn’t let me post here (${typed(error)}). Ask a channel manager.`;
  if (!isOpenAgain) return problem(words);
  return problem(say`Slack didn’t let me post here (${typed(error)}).`, {
    remedy: say`I can post again now.`,
    button: requestButton('Resume', { act: 'repair-posting' }, { spokenAfter: say` posting here` }),
  });
}

function describeDead({ count, error }: About<'dead'>): Said {
  const { mayBePosted, fault } = deadReason(error);
  const became = mayBePosted ? say`may have been posted` : say`couldn’t be posted`;
  return problem(say`${counted(count, 'change')} ${became}. ${fault}: ${typed(error)}.`, {
    button: requestButton('Try again', { act: 'replay-dead' }),
  });
}

function describeDelay({ until, failures }: About<'delay'>): Said {
  const why =
    failures === 0
      ? say`Slack asked me to hold the next message until `
      : say`Slack didn’t accept my last message (${counted(failures, 'try', 'tries')}). Next try: `;
  return note(say`${why}${time(until)}. You don’t need to do anything.`);
}

function describeWaiting({ count, oldest, isLate }: About<'waiting'>): Said {
  const are = count === 1 ? 'is' : 'are';
  const words = say`${counted(count, 'change')} ${are} waiting to be posted, the oldest since ${time(oldest)}.`;
  const remedy = say`Nothing has moved here for 5 minutes. Contact your Plancast admin: the worker may not be running.`;
  return isLate ? problem(words, { remedy }) : note(words);
}

function describeTrouble({ trouble, row, personal }: About<'trouble'>, { serviceName }: Copy): Said {
  const service = plainly(serviceName);
  switch (trouble.kind) {
    case 'places':
      return problem(
        row.subscribed.target.kind === 'folder'
          ? say`Notifications from ${service} don’t say which folder a change is in, so I can’t post the changes in this one.`
          : say`Notifications from ${service} don’t say which file a change is about, so I can’t post the changes to this one.`,
        {
          remedy: say`Subscribe to its project instead.`,
          button: requestButton('Open the form', { act: 'fill-form', request: projectOf(row, personal) }),
        },
      );
    case 'unmatched':
      return problem(
        say`None of the last ${counted(trouble.count, 'change')} match its folders, so nothing was posted.`,
        { button: editButton(row) },
      );
    case 'too many paths':
      return problem(
        say`Its folders exceed the limits (${maxListLength} folders, ${counted(maxGlobsLength, 'character')} together, ${counted(maxWildcards, 'wildcard')} each). It still works, but can post late.`,
        { button: editButton(row) },
      );
  }
}

/** Asks for the project of a folder or file, of which only that folder or file is posted. */
function projectOf({ subscribed: { target, name } }: NamedRow, personal?: boolean): SubscribeRequest {
  const projectId = 'projectId' in target ? target.projectId : '';
  return {
    act: 'subscribe',
    target: { kind: 'project', projectId },
    comprehensive: true,
    filters: name === null ? {} : { paths: [name] },
    personal: personal || undefined,
  };
}

function describeState(finding: About<'state'>, copy: Copy): Said {
  const { state, row, pause, botName } = finding;
  if (state === 'active') return ok(say`The subscription is active.`);
  if (state === 'pending') return note(say`The subscription is still being set up.`);
  if (pause === undefined) return problem(say`Paused.`);
  const words = say`${capital(describePause(pause))}.`;
  if (pause.reason === pausedByPerson) return note(words, { button: resumeButton(row) });
  return problem(words, {
    remedy: describeRemedy(pause, copy, botName),
    button: isOwnerReason(pause.reason) ? takeOverButton(row) : undefined,
  });
}

function describeLink({ owner, isReader, state }: About<'link'>, { serviceName }: Copy): Said {
  const service = plainly(serviceName);
  const linkTo: Phrase = isReader ? say`Your link to ` : say`${whose(owner)} link to `;
  if (state === 'active') return ok(say`${linkTo}${service} works.`);
  if (state === 'frozen') {
    return problem(
      say`${whoIs(owner)} is no longer a full member of this workspace, so their link is suspended.`,
    );
  }
  const words: Phrase =
    state === 'none'
      ? say`${isReader ? say`You’re not` : say`${whoIs(owner)} isn’t`} linked to ${service}.`
      : say`${linkTo}${service} stopped working.`;
  if (!isReader) {
    return problem(words, {
      remedy: say`Ask ${whoIs(owner)} to link ${state === 'none' ? 'an account' : 'again'}.`,
    });
  }
  // A reader without a link is not a problem in itself: anything that needs their link reports it.
  return (state === 'none' ? note : problem)(words, { button: requestButton('Link', { act: 'link' }) });
}

function describeRemote({ state, row }: About<'remote'>, { serviceName }: Copy): Said {
  const service = plainly(serviceName);
  const retry = requestButton(
    'Try again',
    { act: 'repair-remote', id: row.id },
    {
      spokenAfter: say`: check this subscription, and set it up if it is missing`,
    },
  );
  const bad = (...words: Phrase): Said => problem(words, { button: retry });
  switch (state.kind) {
    case 'fine':
      return ok(say`Notifications from ${service} come here.`);
    case 'being made':
      return note(say`It’s being set up at ${service} right now.`);
    case 'odd':
      return bad('The status of the subscription at ', service, ' is ', quoted(state.status), '.');
    case 'gone':
      return bad('The subscription is no longer set up at ', service, '.');
    case 'forbidden':
      return bad('The linked account no longer has access to this at ', service, '.');
    case 'elsewhere':
      return bad('Notifications from ', service, ' are sent to another address.');
    case 'no answer':
      return bad(sentence(state.forPerson));
    case 'not asked':
      return problem(say`I can’t check it at ${service} because that link doesn’t work.`);
  }
}
