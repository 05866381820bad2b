import type { Fault, Mistake } from '../../core/model/request.ts';
import type { Subscribed } from '../../core/model/subscription.ts';
import {
  describeFault,
  describeScope,
  describeTarget,
  nameTarget,
  parentOf,
  type Who,
  whoIs,
} from '../text/copy.ts';
import { button, type Message, messageOf, notice, requestButton } from '../text/message.ts';
import {
  andMore,
  channel,
  counted,
  inPlain,
  type Phrase,
  plainly,
  say,
  strong,
  typed,
} from '../text/phrase.ts';
import type { NamedRow } from './row-buttons.ts';

/** Asks a question that a button answers with a value; another one leaves everything as it is. */
function question(lines: readonly Phrase[], yes: string, value: string, no = 'Don’t subscribe'): Message {
  return messageOf({
    lines,
    buttons: [button('answer', yes, { value }), requestButton(no, { act: 'dismiss' })],
  });
}

/** Another scope takes a new remote subscription, made with the reader's account; asks whether they want to own it. */
export function scopeQuestion(asked: {
  readonly owner: Who;
  /** As it is now. */
  readonly subscribed: Subscribed;
  /** The wanted scope. */
  readonly comprehensive: boolean;
  readonly value: string;
}): Message {
  const { owner, subscribed, comprehensive, value } = asked;
  const { kind } = subscribed.target;
  const what = nameTarget(subscribed);
  const inScope = (whole: boolean): Phrase =>
    kind === 'document' ? what : say`${what} (${describeScope(kind, whole)})`;
  const lines = [
    say`${whoIs(owner)} owns this channel’s subscription to ${inScope(subscribed.comprehensive)}.`,
    say`Change it to ${inScope(comprehensive)}? It will use your account, and you’ll own it.`,
  ];
  return question(lines, 'Change scope', value, 'Don’t change');
}

/** The service denies this person the project, which a folder's contents need; offers the folder without its contents. */
export function folderOnlyQuestion(wanted: Subscribed, value: string): Message {
  const lines = [
    say`Your account can’t subscribe to the whole project, and without that I can’t see what changes in the folder.`,
    say`Subscribe to ${describeTarget(wanted)}?`,
  ];
  return question(lines, 'Subscribe to the folder only', value);
}

/** People from other organizations would read what is posted; asks before subscribing. */
export function sharedChannelQuestion(wanted: Subscribed, value: string): Message {
  const lines = [
    say`This channel is shared with another organization. People there would see changes to ${describeTarget(wanted)}, including the names of files, folders and people.`,
    say`Subscribe anyway?`,
  ];
  return question(lines, 'Subscribe anyway', value);
}

/**
 * The reader follows the most folders and files of one project there; offers the project instead, with the names of those as a filter.
 * `value`, `form`: of the buttons that subscribe to it and that open the form. `personal`: in their own direct message with the bot.
 */
export function projectInsteadQuestion(question: {
  readonly most: number;
  readonly project: Subscribed;
  readonly value: string;
  readonly form: string;
  readonly personal: boolean;
}): Message {
  const { most, project, value, form, personal } = question;
  const place = personal ? 'in your direct messages with me' : 'here';
  return messageOf({
    lines: [
      say`You already follow ${counted(most, 'folder or file', 'folders and files')} of ${parentOf(project)} ${place}, which is the limit.`,
      say`Subscribe to the whole project instead, with a filter for their names?`,
    ],
    buttons: [
      button('answer', 'Subscribe to the project', { value }),
      button('fill-form', 'Edit in the form', { value: form }),
      requestButton('Don’t subscribe', { act: 'dismiss' }),
    ],
  });
}

/** Asks before removing all subscriptions of a conversation. `personal`: the reader's own, which the question may be far from. */
export function unsubscribeAllQuestion(count: number, personal: boolean): Message {
  const place = personal ? 'in your direct messages with me' : 'here';
  const several = count === 2 ? say`both subscriptions` : say`all ${counted(count, 'subscription')}`;
  const all = count === 1 ? say`the only subscription` : several;
  return messageOf({
    lines: [say`Remove ${all} ${place}? Nothing will be posted ${personal ? 'there' : 'here'} anymore.`],
    buttons: [
      requestButton(count === 1 ? 'Remove it' : 'Remove all', { act: 'remove-all' }, { style: 'danger' }),
      requestButton('Keep', { act: 'dismiss' }),
    ],
  });
}

/** A request to offer: the line as it would be typed, and the value of its button. */
type Offer = { readonly line: string; readonly value: string };

/** A line may name hundreds of projects. So many fit into a message, however long the line is. */
const mostChoices = 8;

/**
 * Answers a line that does not run at once: what was understood as a line, what was left out, and a button for each way to go on.
 * @param understood null if it is no request yet; `name`: of what it is about, if that may be shown; `form` is the value of the button that
 * opens the form with it, null if there is no form
 */
export function partlyUnderstood(answer: {
  readonly understood: (Offer & { readonly name: string | null; readonly form: string | null }) | null;
  readonly leftOut: string;
  readonly faults: readonly Fault[];
  readonly choices: readonly (Offer & { readonly label: string })[];
  readonly lacks: Mistake['lacks'];
}): Message {
  const { understood, leftOut, faults, choices, lacks } = answer;
  const rows = choices.slice(0, mostChoices).map(({ line, label, value }, index) => {
    const options = { value, spokenAfter: say`: ${typed(line)}` };
    return { lines: [[typed(line)]], button: button(`answer.${index}`, inPlain([plainly(label)]), options) };
  });
  // A line above says all of the choices but the value that each button names.
  const isOfValue = faults.length > 0;
  // Where something lacks, each button says all of what it does.
  const areNamed = isOfValue || lacks !== null;
  const isQuestion = understood === null && lacks === null && !isOfValue;
  // A wrong value is named by its fault.
  const rest =
    leftOut !== '' && !faults.some(({ value }) => value === leftOut) && say`Left out: ${typed(leftOut)}`;
  return messageOf({
    lines: [
      lacks !== null && lacking[lacks](leftOut),
      understood !== null &&
        say`I understood ${typed(understood.line)}${understood.name === null ? [] : say` (${strong(understood.name)})`}`,
      understood !== null && rest,
      ...faults.map((fault) => say`${describeFault(fault)}.`),
      isQuestion && say`${choices.length > 1 ? 'Which one do you want?' : 'Did you mean this?'}`,
    ],
    rows: areNamed ? [] : rows,
    small: [...andMore(choices.length - rows.length), understood === null && lacks === null && rest],
    buttons: [
      ...(areNamed ? rows.map(({ button }) => button) : []),
      understood !== null && !isOfValue && runButton(understood),
      understood?.form != null && button('fill-form', 'Edit in the form', { value: understood.form }),
    ],
  });
}

function runButton({ line, value }: Offer) {
  return button('answer', 'Run this', { value, style: 'primary', spokenAfter: say`: ${typed(line)}` });
}

/** What is missing, by what was typed instead. */
const lacking: Readonly<Record<NonNullable<Mistake['lacks']>, (instead: string) => Phrase>> = {
  target: (instead) =>
    instead === ''
      ? say`Which project or session? Paste its link, or type its id or name.`
      : say`Which project or session? I couldn’t find one in ${typed(instead)}. Paste its link or its 9-digit id.`,
  command: (instead) =>
    say`I don’t know ${instead === '' ? 'that command' : say`the command ${typed(instead)}`}.`,
};

/** How a subscription can post less. */
export type LowerVolume = 'digest' | 'digest-except-deleted';

/** Asks the owner of the subscription that posted the most in a channel whether it should be a digest. `total`: messages in the channel. */
export function tooMuch(
  asked: NamedRow & { readonly channelId: string; readonly total: number; readonly count: number },
): Message {
  const { id, subscribed, total, count } = asked;
  const lowered = (label: string, to: LowerVolume) =>
    requestButton(label, { act: 'lower-volume', id, to }, { variant: to });
  const most = count === total ? say`, all of them` : say`, ${counted(count, 'message', 'of them')}`;
  return messageOf({
    lines: [
      say`I posted ${strong(String(total))} messages in ${channel(asked.channelId)} yesterday${most} about ${describeTarget(subscribed)}. Would one digest a day be better?`,
    ],
    small: [say`Only you can see this. If you keep it as it is, I won’t ask again for 90 days.`],
    buttons: [
      lowered('Daily digest at 9:00', 'digest'),
      lowered('Daily at 9:00, deletions as they happen', 'digest-except-deleted'),
      requestButton('Keep as it is', { act: 'keep-volume', id }),
    ],
  });
}

/** The owner chose a digest, which is announced in the channel. */
export function volumeLowered(channelId: string, subscribed: Subscribed, to: LowerVolume): Message {
  const except = to === 'digest' ? '' : ' Deletions are still posted as they happen.';
  return notice`${channel(channelId)} now gets ${describeTarget(subscribed)} in a daily digest at 9:00.${except}`;
}

/** The owner chose to change nothing. */
export function volumeKept(days: number): Message {
  return notice`OK, everything stays as it is. I won’t ask about this again for ${counted(days, 'day')}.`;
}
