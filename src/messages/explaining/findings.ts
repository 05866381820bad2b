import type { Button } from '@slack/types';
import { isOwnerReason, pausedByPerson, type Trouble } from '../../core/model/pause-reason.ts';
import type { QuietHours } from '../../core/model/quiet-hours.ts';
import type { FeaturesOff, Postable } from '../../core/model/slack-access.ts';
import type { SubscriptionState } from '../../core/model/subscription.ts';
import { projectInstead } from '../../core/model/typed-settings.ts';
import { describeTrouble } from '../subscribing/lists.ts';
import { whyNotPostable } from '../subscribing/refusals.ts';
import { type NamedRow, rowButton } from '../subscribing/row-buttons.ts';
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
import { type MessageRow, requestButton } from '../text/message.ts';
import {
  capital,
  counted,
  link,
  type Phrase,
  plainly,
  quoted,
  say,
  sentence,
  strong,
  time,
  typed,
} from '../text/phrase.ts';
import { deadReason } from './dead-reasons.ts';

/** `note`: intentional, or neither good nor bad. `detail`: the same, and shown only where every check is. */
type Verdict = 'ok' | 'not ok' | 'note' | 'detail';

/** The result of one check in words, with its remedy and a button for it, if there are any. */
export type Finding = {
  readonly verdict: Verdict;
  readonly words: Phrase;
  readonly remedy?: Phrase | undefined;
  readonly button?: Button | undefined;
};

type More = Pick<Finding, 'remedy' | 'button'>;
const ok = (words: Phrase): Finding => ({ verdict: 'ok', words });
const detail = (words: Phrase): Finding => ({ verdict: 'detail', words });
const note = (words: Phrase, more: More = {}): Finding => ({ verdict: 'note', words, ...more });
const problem = (words: Phrase, more: More = {}): Finding => ({ verdict: 'not ok', words, ...more });

/** Returns the findings worth showing. */
export function notable(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ verdict }) => verdict === 'not ok' || verdict === 'note');
}

const labels: Record<Verdict, string> = { ok: 'OK', 'not ok': 'Problem', note: 'Note', detail: 'Note' };

/** Makes a line of each finding. Those without a button share a paragraph; any other has one with its button. */
export function findingRows(findings: readonly Finding[]): MessageRow[] {
  const rows: (MessageRow & { lines: Phrase[] })[] = [];
  for (const { verdict, words, remedy, button } of findings) {
    const line = say`${strong(labels[verdict])}: ${words}${remedy === undefined ? [] : say` ${remedy}`}`;
    const last = rows.at(-1);
    if (last && !last.button && !button) last.lines.push(line);
    else rows.push({ lines: [line], button });
  }
  return rows;
}

/** Whether the bot can post. `personal`: it is the reader's own direct message with the bot. */
export function posting(
  postable: Postable,
  { botName, personal }: { readonly botName: string; readonly personal: boolean },
): Finding {
  if (postable !== 'yes') return problem(whyNotPostable(postable, botName));
  return ok(personal ? say`I can send you direct messages.` : say`I can post in this channel.`);
}

/** Slack refused a post with this error code, and nothing is retried until that is fixed. */
export function closed(error: string, isOpenAgain: boolean): Finding {
  if (!isOpenAgain)
    return problem(say`Slack doesn’t let me post here (${typed(error)}). Ask a channel manager.`);
  return problem(say`Slack didn’t let me post here (${typed(error)}).`, {
    remedy: say`I can post again now.`,
    button: requestButton('Resume', { act: 'repair-posting' }, { spokenAfter: say` posting here` }),
  });
}

/** The channel is muted. */
export function muted(until: Date): Finding {
  return note(say`I’m muted here until ${time(until)}. I’ll post a summary when the mute ends.`, {
    button: requestButton('Unmute', { act: 'unmute' }),
  });
}

/** The channel has quiet hours. `until`: when those that it is in end; null outside of them. */
export function quiet(hours: QuietHours, until: Date | null): Finding {
  if (until === null) return note(say`Quiet hours here are ${describeQuiet(hours)}.`);
  const spokenAfter = say` until the next quiet hours`;
  return note(say`It’s quiet here until ${time(until)}: ${describeQuiet(hours)}. Then I’ll post a summary.`, {
    button: requestButton('Unmute', { act: 'unmute' }, { spokenAfter }),
  });
}

/** The next attempt to post is deferred after `failures` failed ones; 0 if Slack asked us to wait. */
export function delayed(until: Date, failures: number): Finding {
  const refused = say`Slack didn’t accept my last message (${counted(failures, 'try', 'tries')}). Next try: `;
  const why = failures === 0 ? say`Slack asked me to hold the next message until ` : refused;
  return note(say`${why}${time(until)}. You don’t need to do anything.`);
}

/** Changes wait to be posted. `isLate`: for so long that something must be wrong. */
export function waiting(count: number, oldest: Date, isLate: boolean): Finding {
  const are = count === 1 ? 'is' : 'are';
  const words = say`${counted(count, 'change')} ${are} waiting to be posted, the oldest since ${time(oldest)}.`;
  const remedy = say`Nothing has moved here for 5 minutes. Contact your Plancast admin: the worker may not be running.`;
  return isLate ? problem(words, { remedy }) : note(words);
}

/** Changes that could not be posted. `error`: as stored with them. */
export function dead(count: number, error: string): Finding {
  const { mayBePosted, fault } = deadReason(error);
  const became = mayBePosted ? say`may have been posted` : say`couldn’t be posted`;
  return problem(say`${counted(count, 'change')} ${became}. ${fault}: ${typed(error)}.`, {
    button: requestButton('Try again', { act: 'replay-dead' }),
  });
}

/** What is off in the workspace for lack of scopes. */
export function features(off: FeaturesOff): Finding {
  if (off.features.length === 0) return ok(say`This workspace has granted all permissions.`);
  return note(describeOff(off), {
    remedy: say`An admin can ${link('install Plancast again', off.installUrl)} to grant them.`,
  });
}

/** The state of a subscription. `botName`: for a pause that its channel is the reason of. */
export function stateOf(
  row: NamedRow & { readonly state: SubscriptionState; readonly pause?: Pause | undefined },
  botName: string,
  copy: Copy,
): Finding {
  const { state, pause } = row;
  if (state === 'active') return ok(say`The subscription is active.`);
  if (state === 'pending') return note(say`The subscription is still being set up.`);
  if (pause === undefined) return problem(say`Paused.`);
  const words = say`${capital(describePause(pause))}.`;
  if (pause.reason === pausedByPerson) return note(words, { button: rowButton('resume', row) });
  return problem(words, {
    remedy: describeRemedy(pause, copy, botName),
    button: isOwnerReason(pause.reason) ? rowButton('take-over', row) : undefined,
  });
}

/** The state of a person's link. `frozen`: they are no longer a full member of the workspace. */
export type LinkState = 'active' | 'relink' | 'frozen' | 'none';

/** The state of an owner's link, or of the reader's own. */
export function linkOf(owner: Who, isReader: boolean, state: LinkState, { serviceName }: Copy): Finding {
  const [who, service] = [whoIs(owner), plainly(serviceName)];
  const linkTo = isReader ? say`Your link to ` : say`${whose(owner)} link to `;
  if (state === 'active') return ok(say`${linkTo}${service} works.`);
  if (state === 'frozen')
    return problem(say`${who} is no longer a full member of this workspace, so their link is suspended.`);
  const notLinked = say`${isReader ? say`You’re not` : say`${who} isn’t`} linked to ${service}.`;
  const words = state === 'none' ? notLinked : say`${linkTo}${service} stopped working.`;
  if (!isReader)
    return problem(words, { remedy: say`Ask ${who} to link ${state === 'none' ? 'an account' : 'again'}.` });
  // A reader without a link is not a problem in itself: anything that needs their link reports it.
  return (state === 'none' ? note : problem)(words, { button: requestButton('Link', { act: 'link' }) });
}

/** A file is followed by itself. */
export function versions({ serviceName }: Copy): Finding {
  return note(say`It follows the file itself, and ${plainly(serviceName)} may not report its new versions.`);
}

/** What keeps a subscription from posting what people expect. `personal`: in the reader's own direct message with the bot. */
export function troubled(trouble: Trouble, row: NamedRow, personal: boolean): Finding {
  const words = say`${describeTrouble(trouble, row.subscribed.target)}.`;
  if (trouble.kind !== 'places') return problem(words, { button: rowButton('edit', row) });
  const { target, name } = row.subscribed;
  const projectId = 'projectId' in target ? target.projectId : '';
  const request = projectInstead(projectId, name === null ? [] : [name], personal);
  return problem(words, {
    remedy: say`Subscribe to its project instead.`,
    button: requestButton('Open the form', { act: 'fill-form', request }),
  });
}

/**
 * The state of the remote subscription, according to the service. `odd`: it reports this state instead of the usual one. `elsewhere`: it sends to
 * an address that is not this bot's. `error`: a whole sentence for people. `not asked`: there is no working link with which to ask.
 */
export type RemoteState =
  | 'fine'
  | 'being made'
  | 'gone'
  | 'forbidden'
  | 'elsewhere'
  | 'not asked'
  | { readonly odd: string }
  | { readonly error: string };

/** What the service says of a subscription. */
export function remote(state: RemoteState, row: NamedRow, { serviceName }: Copy): Finding {
  const service = plainly(serviceName);
  const spokenAfter = say`: check this subscription, and set it up if it is missing`;
  const retry = requestButton('Try again', { act: 'repair-remote', id: row.id }, { spokenAfter });
  const bad = (words: Phrase): Finding => problem(words, { button: retry });
  if (typeof state === 'object') {
    return 'odd' in state
      ? bad(say`The status of the subscription at ${service} is ${quoted(state.odd)}.`)
      : bad([sentence(state.error)]);
  }
  const findings: Record<typeof state, Finding> = {
    fine: ok(say`Notifications from ${service} come here.`),
    'being made': note(say`It’s being set up at ${service} right now.`),
    gone: bad(say`The subscription is no longer set up at ${service}.`),
    forbidden: bad(say`The linked account no longer has access to this at ${service}.`),
    elsewhere: bad(say`Notifications from ${service} are sent to another address.`),
    'not asked': problem(say`I can’t check it at ${service} because that link doesn’t work.`),
  };
  return findings[state];
}

/** When something last came for a subscription, and when it was last posted; null if never. */
export function lastTimes(event: Date | null, post: Date | null, { serviceName }: Copy): Finding[] {
  return [
    event === null
      ? detail(say`No activity from ${plainly(serviceName)} yet.`)
      : ok(say`Last activity: ${time(event)}.`),
    post === null ? detail(say`Nothing posted yet.`) : ok(say`Last post: ${time(post)}.`),
  ];
}
