import type { Button, KnownBlock } from '@slack/types';
import type { Postable } from '../../core/model/may-post.ts';
import type { Subscribed } from '../../core/model/subscribed-of.ts';
import type { SubscriptionState } from '../../core/model/subscription.ts';
import { whyNotPostable } from '../subscribing/answers.ts';
import { actionIds } from '../text/action-ids.ts';
import {
  type Copy,
  describePause,
  describeRemedy,
  describeTarget,
  type Pause,
  type Who,
  whoIs,
} from '../text/copy.ts';
import { charactersOf, fitInto, howManyFit, limits } from '../text/limits.ts';
import { button, mrkdwn } from '../text/message.ts';
import {
  counted,
  inMrkdwn,
  inText,
  type Phrase,
  plainly,
  quoted,
  sentence,
  strong,
  time,
  typed,
} from '../text/phrase.ts';
import { isOwnFault } from './dead-reasons.ts';

/** How somebody's link stands. `frozen`: they are not a full member of the workspace any more. */
export type LinkStanding = 'active' | 'relink' | 'frozen' | 'none';

/** What the service says of a subscription's record there. */
export type RecordStanding =
  | { readonly kind: 'fine' }
  /** In the service's own word, which is not the usual one. */
  | { readonly kind: 'odd'; readonly status: string }
  | { readonly kind: 'being made' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'forbidden' }
  /** It sends to another address than this bot's. */
  | { readonly kind: 'elsewhere' }
  /** `forPerson`: a whole sentence. */
  | { readonly kind: 'no answer'; readonly forPerson: string }
  /** Nobody's link works that could ask. */
  | { readonly kind: 'not asked' };

/** One thing that was looked at. Buttons are offered where a value comes with it. */
export type Finding =
  | { readonly about: 'posting'; readonly postable: Postable; readonly botName: string }
  /** Slack refused a post, and nothing is tried until somebody mends it. `error`: Slack's. */
  | { readonly about: 'closed'; readonly error: string; readonly isOpenAgain: boolean }
  | { readonly about: 'muted'; readonly until: Date }
  /** The next try is put off, after so many failures; none where Slack asked for it. */
  | { readonly about: 'delay'; readonly until: Date; readonly failures: number }
  | { readonly about: 'waiting'; readonly count: number; readonly oldest: Date; readonly isLate: boolean }
  | { readonly about: 'dead'; readonly count: number; readonly error: string }
  | {
      readonly about: 'state';
      readonly state: SubscriptionState;
      readonly subscribed: Subscribed;
      readonly pause?: Pause | undefined;
      readonly botName: string;
      readonly toFollow: string;
      readonly takeOverValue?: string | undefined;
      readonly resumeValue?: string | undefined;
    }
  | {
      readonly about: 'link';
      readonly owner: Who;
      readonly isReader: boolean;
      readonly standing: LinkStanding;
    }
  | { readonly about: 'record'; readonly standing: RecordStanding; readonly retryValue: string }
  | { readonly about: 'last event'; readonly at: Date | null }
  | { readonly about: 'last post'; readonly at: Date | null };

/** `note`: as somebody wanted it, or neither good nor bad. */
export type Verdict = 'ok' | 'not ok' | 'note';

/** A finding in words; what mends it, and a button that does, where there are some. */
export type Said = {
  readonly verdict: Verdict;
  readonly words: Phrase;
  readonly remedy?: Phrase | undefined;
  readonly button?: Button | undefined;
};

/** Puts a finding into words. */
export function say(finding: Finding, copy: Copy): Said {
  switch (finding.about) {
    case 'posting':
      return finding.postable === 'yes'
        ? { verdict: 'ok', words: ['I may post in this channel.'] }
        : {
            verdict: 'not ok',
            words: whyNotPostable({ why: finding.postable, botName: finding.botName }, 'check'),
          };
    case 'closed':
      return sayClosed(finding);
    case 'muted':
      return {
        verdict: 'note',
        words: [
          'I am muted here until ',
          time(finding.until),
          '. What happens meanwhile comes in one message then.',
        ],
        button: button({ actionId: actionIds.liftMute, label: 'Unmute' }),
      };
    case 'delay':
      return sayDelay(finding);
    case 'waiting':
      return sayWaiting(finding);
    case 'dead':
      return {
        verdict: 'not ok',
        words: [
          `${counted(finding.count, 'change')} could not be posted, because `,
          isOwnFault(finding.error) ? 'something went wrong here: ' : 'Slack refused the message: ',
          typed(finding.error),
          '.',
        ],
        button: button({ actionId: actionIds.replayDeadLetters, label: 'Try again' }),
      };
    case 'state':
      return sayState(finding, copy);
    case 'link':
      return sayLink(finding, copy);
    case 'record':
      return sayRecord(finding, copy);
    case 'last event':
      return finding.at === null
        ? { verdict: 'note', words: ['Nothing has come from ', plainly(copy.serviceName), ' yet.'] }
        : { verdict: 'ok', words: ['The last event came ', time(finding.at), '.'] };
    case 'last post':
      return finding.at === null
        ? { verdict: 'note', words: ['Nothing was posted yet.'] }
        : { verdict: 'ok', words: ['The last post was ', time(finding.at), '.'] };
  }
}

type About<A extends Finding['about']> = Extract<Finding, { readonly about: A }>;

function sayClosed({ error, isOpenAgain }: About<'closed'>): Said {
  const words: Phrase = ['I have stopped posting here, because Slack refused it: ', typed(error), '.'];
  if (!isOpenAgain) return { verdict: 'not ok', words };
  return {
    verdict: 'not ok',
    words,
    remedy: ['I may post here again by now.'],
    button: button({ actionId: actionIds.repairPosting, label: 'Resume', spoken: ['Resume posting here'] }),
  };
}

function sayDelay({ until, failures }: About<'delay'>): Said {
  const why =
    failures === 0
      ? 'Slack asked me to wait with the next message until '
      : `Slack did not take my last message, after ${counted(failures, 'try', 'tries')}. The next is `;
  return { verdict: 'note', words: [why, time(until), '. There is nothing you need to do.'] };
}

function sayWaiting({ count, oldest, isLate }: About<'waiting'>): Said {
  const verb = count === 1 ? 'waits' : 'wait';
  return {
    verdict: isLate ? 'not ok' : 'note',
    words: [`${counted(count, 'change')} ${verb} to be posted, the oldest since `, time(oldest), '.'],
    ...(isLate
      ? { remedy: ['If that lasts, tell whoever looks after this bot: its worker may not be running.'] }
      : {}),
  };
}

function sayState(finding: About<'state'>, copy: Copy): Said {
  const { state, subscribed, pause, botName, toFollow, takeOverValue, resumeValue } = finding;
  if (state === 'active') return { verdict: 'ok', words: ['It is not paused.'] };
  if (state === 'pending') return { verdict: 'note', words: ['It is still being set up.'] };
  const target = describeTarget(subscribed);
  return {
    verdict: resumeValue === undefined ? 'not ok' : 'note',
    words: pause === undefined ? ['It is paused.'] : ['It is paused: ', ...describePause(pause), '.'],
    ...(pause === undefined ? {} : { remedy: describeRemedy(pause, { copy, botName, toFollow }) }),
    ...(takeOverValue === undefined
      ? {}
      : {
          button: button({
            actionId: actionIds.subscriptionTakeOver,
            label: 'Take over',
            value: takeOverValue,
            spoken: ['Take over ', ...target],
          }),
        }),
    ...(resumeValue === undefined
      ? {}
      : {
          button: button({
            actionId: actionIds.subscriptionResume,
            label: 'Resume',
            value: resumeValue,
            spoken: ['Resume ', ...target],
          }),
        }),
  };
}

function sayLink({ owner, isReader, standing }: About<'link'>, { serviceName, commands }: Copy): Said {
  const service = plainly(serviceName);
  const whose: Phrase = isReader ? ['Your link to '] : ['The link of ', ...whoIs(owner), ' to '];
  if (standing === 'active') return { verdict: 'ok', words: [...whose, service, ' works.'] };
  if (standing === 'frozen') {
    return {
      verdict: 'not ok',
      words: [...whoIs(owner), ' is not a full member of this workspace any more, so that link rests.'],
    };
  }
  const words: Phrase =
    standing === 'none'
      ? [...(isReader ? ['You are'] : [...whoIs(owner), ' is']), ' not linked to ', service, '.']
      : [...whose, service, ' does not work any more.'];
  if (!isReader) {
    return {
      verdict: 'not ok',
      words,
      remedy: [...whoIs(owner), ' can type ', typed(`${commands.plancast} link`), '.'],
    };
  }
  return { verdict: 'not ok', words, button: button({ actionId: actionIds.repairLink, label: 'Link' }) };
}

function sayRecord({ standing, retryValue }: About<'record'>, { serviceName }: Copy): Said {
  const service = plainly(serviceName);
  const retry = button({
    actionId: actionIds.repairRemoteSubscription,
    label: 'Try again',
    value: retryValue,
    spoken: ['Check this subscription again, and set it up where it is missing'],
  });
  const bad = (...words: Phrase): Said => ({ verdict: 'not ok', words, button: retry });
  switch (standing.kind) {
    case 'fine':
      return { verdict: 'ok', words: ['It is set up at ', service, ', and sends to me.'] };
    case 'being made':
      return { verdict: 'note', words: ['It is being set up at ', service, ' just now.'] };
    case 'odd':
      return bad('It is set up at ', service, ', which calls it ', quoted(standing.status), '.');
    case 'gone':
      return bad('It is not set up at ', service, ' any more.');
    case 'forbidden':
      return bad('The account that it was made with may not see it at ', service, ' any more.');
    case 'elsewhere':
      return bad('It is set up at ', service, ', but sends to an address where I am not any more.');
    case 'no answer':
      return bad(sentence(standing.forPerson));
    case 'not asked':
      return {
        verdict: 'not ok',
        words: ['I cannot ask ', service, ' about it, because that link does not work.'],
      };
  }
}

const labels: Record<Verdict, string> = { ok: 'OK', 'not ok': 'Not OK', note: 'Note' };

/** Characters that one finding may have; a page of the longest still fits into a message. */
export const findingCharacters = 420;

/** A line for each: those without a button together, each other with its button beside it. */
export function blocksOf(said: readonly Said[]): KnownBlock[] {
  const blocks: KnownBlock[] = [];
  let lines: string[] = [];
  const close = () => {
    if (lines.length > 0)
      blocks.push({
        type: 'section',
        text: mrkdwn(fitInto(lines, { max: limits.sectionText, joint: '\n' })),
      });
    lines = [];
  };
  for (const each of said) {
    const line = inMrkdwn(lineOf(each, strong), findingCharacters);
    if (each.button === undefined) lines.push(line);
    else {
      close();
      blocks.push({ type: 'section', text: mrkdwn(line), accessory: each.button });
    }
  }
  close();
  return blocks;
}

/** The same as lines of text. */
export function textsOf(said: readonly Said[]): string[] {
  return said.map((each) =>
    inText(
      lineOf(each, (label) => label),
      findingCharacters,
    ),
  );
}

function lineOf({ verdict, words, remedy }: Said, label: (text: string) => Phrase[number]): Phrase {
  return [label(labels[verdict]), ': ', ...words, ...(remedy === undefined ? [] : [' ', ...remedy])];
}

/**
 * As many parts of a message, each of some blocks, as Slack takes beside so many characters and blocks of other things; the rest is
 * counted. Names that consist of what has to be escaped are several times as long as they look.
 */
export function whatFits(
  parts: readonly (readonly KnownBlock[])[],
  beside: { readonly characters: number; readonly blocks: number },
): KnownBlock[] {
  const note = { characters: 60, blocks: 1 };
  const byCharacters = howManyFit(
    parts.map((blocks) => charactersOf(blocks)),
    limits.messageCharacters - beside.characters,
    note.characters,
  );
  const byBlocks = howManyFit(
    parts.map((blocks) => blocks.length),
    limits.messageBlocks - beside.blocks,
    note.blocks,
  );
  const taken = Math.min(byCharacters, byBlocks);
  const rest = parts.length - taken;
  const remark: KnownBlock[] =
    rest === 0
      ? []
      : [{ type: 'section', text: mrkdwn(inMrkdwn([`… and ${counted(rest, 'more paragraph')}`])) }];
  return [...parts.slice(0, taken).flat(), ...remark];
}
