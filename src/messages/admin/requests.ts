import { actionIds } from '../text/action-ids.ts';
import { type Copy, type Who, whoIs } from '../text/copy.ts';
import { button, type Message, messageOf } from '../text/message.ts';
import { channel, counted, joined, type Phrase, person, plainly, typed } from '../text/phrase.ts';

/** What the settings of the workspace keep somebody from. */
export type MayNot =
  | { readonly kind: 'person'; readonly subscribers: 'everyone' | 'admins' | 'people' }
  | { readonly kind: 'project'; readonly projectId: string };

/** Names that are told of those who may allow it. */
const namesTold = 5;

/**
 * The settings of the workspace do not let this person do that; says who can allow it.
 *
 * @param refusal `admins` is null where the person is one; `askValue` adds a button that asks them all
 */
export function mayNot(refusal: {
  readonly why: MayNot;
  readonly copy: Copy;
  readonly admins: readonly Who[] | null;
  readonly askValue?: string | undefined;
}): Message {
  const { why, copy, admins, askValue } = refusal;
  const settings = typed(`${copy.commands.plancast} settings`);
  return messageOf({
    lines: [
      reasonFor(why),
      admins === null ? ['You are one of the admins: ', settings, ' changes that.'] : whoCan(admins),
    ],
    small: admins === null ? [] : [['What is set here: ', settings]],
    buttons:
      askValue === undefined
        ? []
        : [
            button({
              actionId: actionIds.askAdmin,
              label: 'Ask an admin',
              value: askValue,
              spoken: ['Ask the admins to allow just this'],
            }),
          ],
  });
}

function reasonFor(why: MayNot): Phrase {
  if (why.kind === 'project') {
    return [
      'Project ',
      plainly(why.projectId),
      ' is not among those that may be followed in this workspace.',
    ];
  }
  const who = why.subscribers === 'people' ? 'some people' : 'admins';
  return [`In this workspace only ${who} may change what I post.`];
}

function whoCan(admins: readonly Who[]): Phrase {
  if (admins.length === 0) return ['An admin of this workspace can do it, or let you.'];
  const named = admins.slice(0, namesTold).map((admin): Phrase => whoIs(admin));
  const others = admins.length - named.length;
  const all = others === 0 ? named : [...named, [counted(others, 'other admin')]];
  return [...joined(all, ', ', ' or '), ' can do it, or let you.'];
}

/** The admins were asked. */
export function adminsAsked({ count }: { readonly count: number }): Message {
  return messageOf({
    lines: [[`I have asked ${counted(count, 'admin')}, and tell you what they say.`]],
  });
}

/** Why the admins were not asked, this time. */
export type NotAsked = 'asked already' | 'too many' | 'nobody there';

/** The admins were not asked; says why. */
export function adminsNotAsked({ why }: { readonly why: NotAsked }): Message {
  const words: Record<NotAsked, string> = {
    'asked already': 'The admins have been asked that already. I tell you what they say.',
    'too many': 'Several things that you asked for wait for an answer. Please wait for one of them first.',
    'nobody there':
      'I could not reach any admin of this workspace. Please ask one yourself, or try again later.',
  };
  return messageOf({ lines: [[words[why]]] });
}

/** Asks an admin, by direct message, to allow something once. `line` is the whole command; `value` comes back with the answer. */
export function requestToAdmin(context: {
  readonly by: Who;
  readonly channelId: string;
  /** Whether people of other organisations are in it, or may be. */
  readonly isShared: boolean;
  readonly line: string;
  readonly value: string;
  readonly copy: Copy;
}): Message {
  const { by, channelId, isShared, line, value, copy } = context;
  return messageOf({
    lines: [
      [...whoIs(by), ' asks to do this in ', channel(channelId), ':'],
      [typed(line)],
      ['If you allow it, I do just that, with their own account at ', plainly(copy.serviceName), '.'],
      ...(isShared
        ? [['People of other organisations are in that channel, or may be. They would read what I post.']]
        : []),
    ],
    small: [['Who needs no permission is set with ', typed(`${copy.commands.plancast} settings`), '.']],
    buttons: [
      button({ actionId: actionIds.requestAllow, label: 'Allow', value, style: 'primary' }),
      button({ actionId: actionIds.requestDecline, label: 'Decline', value }),
    ],
  });
}

/** What an admin sees in the place of the question: the answer, theirs or another's. */
export function requestAnswered(answered: {
  readonly as: 'allowed' | 'declined';
  /** Null for the reader's own answer. */
  readonly by: Who | null;
  readonly asker: Who;
  readonly line: string;
}): Message {
  const { as, by, asker, line } = answered;
  const who: Phrase = by === null ? ['You have '] : [...whoIs(by), ' has already '];
  return messageOf({ lines: [[...who, `${as} what `, person(asker.name), ' asked for: ', typed(line)]] });
}

/** A request that nobody answered in time, or that is not known any more. */
export function requestTooOld(): Message {
  return messageOf({
    lines: [['That question is too old, and nothing was done. Whoever asked it can ask again.']],
  });
}

/** Only admins may do that. */
export function onlyAdmins(): Message {
  return messageOf({ lines: [['Only admins of this workspace can do that.']] });
}

/** Tells somebody what an admin said to what they asked for. */
export function requestOutcome(outcome: {
  readonly as: 'allowed' | 'declined';
  readonly by: Who;
  readonly channelId: string;
  readonly line: string;
}): Message {
  const { as, by, channelId, line } = outcome;
  return messageOf({
    lines: [
      [
        ...whoIs(by),
        as === 'allowed' ? ' allowed this in ' : ' declined this in ',
        channel(channelId),
        ': ',
        typed(line),
      ],
      ...(as === 'allowed'
        ? [['I do it now. If that needs something of you first, you can type it again within a day.']]
        : []),
    ],
    small: as === 'declined' ? [['Nothing was changed.']] : [],
  });
}
