import type { Fault, Mistake } from '../../core/model/request.ts';
import type { Subscribed } from '../../core/model/subscription.ts';
import { describeFault, describeTarget, parentOf, type Who, whoIs } from '../text/copy.ts';
import { button, type Message, messageOf, requestButton } from '../text/message.ts';
import { andMore, counted, inPlain, type Phrase, plainly, say, typed } from '../text/phrase.ts';

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
  const lines = [
    say`${whoIs(owner)} owns this channel’s subscription to ${describeTarget(subscribed)}.`,
    say`Change it to ${describeTarget({ ...subscribed, comprehensive })}? It will use your account, and you’ll own it.`,
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
  return messageOf({
    lines: [
      say`You already follow ${counted(most, 'folder or file', 'folders and files')} of ${parentOf(project)} ${personal ? 'in your direct messages with me' : 'here'}, which is the limit.`,
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
  const several: Phrase = count === 2 ? say`both subscriptions` : say`all ${counted(count, 'subscription')}`;
  const all: Phrase = count === 1 ? say`the only subscription` : several;
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
 *
 * @param understood null if it is no request yet; `form` is the value of the button that opens the form with it, null if there is no form
 */
export function partlyUnderstood(answer: {
  readonly understood: (Offer & { readonly form: string | null }) | null;
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
  // A wrong value is named by its fault.
  const rest =
    leftOut !== '' && !faults.some(({ value }) => value === leftOut) && say`Left out: ${typed(leftOut)}`;
  return messageOf({
    lines: [
      lacks !== null && lacking[lacks](leftOut),
      understood !== null && say`I understood ${typed(understood.line)}`,
      understood !== null && rest,
      ...faults.map((fault) => say`${describeFault(fault)}.`),
      understood === null &&
        lacks === null &&
        faults.length === 0 &&
        say`${choices.length > 1 ? 'Which one do you want?' : 'Did you mean this?'}`,
    ],
    rows: isOfValue ? [] : rows,
    small: [...andMore(choices.length - rows.length), understood === null && lacks === null && rest],
    buttons: [
      ...(isOfValue ? rows.map(({ button }) => button) : []),
      understood !== null && !isOfValue && runButton(understood),
      understood?.form != null && button('fill-form', 'Edit in the form', { value: understood.form }),
    ],
  });
}

function runButton({ line, value }: Offer) {
  return button('answer', 'Run this', {
    value,
    style: 'primary',
    spokenAfter: say`: ${typed(line)}`,
  });
}

/** What is missing, by what was typed instead. */
const lacking: Readonly<Record<NonNullable<Mistake['lacks']>, (instead: string) => Phrase>> = {
  target: (instead) =>
    say`Which project or session?${instead === '' ? [] : say` I couldn’t find one in ${typed(instead)}.`} Paste its link, or type its id or name.`,
  command: (instead) =>
    say`I don’t know ${instead === '' ? 'that command' : say`the command ${typed(instead)}`}.`,
};
