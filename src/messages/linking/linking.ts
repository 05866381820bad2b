import type { ModalView } from '@slack/types';
import type { ShownLink } from '../../core/model/link.ts';
import { isDirect } from '../../core/model/people.ts';
import type { Subscribed } from '../../core/model/subscription.ts';
import { type Copy, describeTarget } from '../text/copy.ts';
import { type Message, messageOf, notice, requestButton, section } from '../text/message.ts';
import { actionIds, callbackIds, input, modal, textField } from '../text/modal.ts';
import { channel, counted, day, type Phrase, plainly, say, strong, typed } from '../text/phrase.ts';

/**
 * Why a link is offered: the person asked for it; a command needs it; a command needs one and the old link stopped working; the person asked and
 * the old link works, or stopped working, and another account may replace it; or a page offered a new one.
 */
type LinkReason = 'asked' | 'needed' | 'again' | 'linked' | 'stopped' | 'renewed';

/** Offers a link in private. `url` works for `minutes`; `account`: the one that is linked; `command`: the line that runs after linking. */
export function linkOffer(offer: {
  readonly copy: Copy;
  readonly why: LinkReason;
  readonly url: string;
  readonly minutes: number;
  readonly account?: string | null;
  readonly command?: string | undefined;
}): Message {
  const { copy, why, url, minutes, account = null, command } = offer;
  const service = plainly(copy.serviceName);
  const label = why === 'linked' ? 'Link another account' : 'Link';
  const reasons: Record<LinkReason, Phrase> = {
    asked: say`Link your account at ${service} to Slack.`,
    needed: say`Link your account at ${service} to continue.`,
    again: say`Your link to ${service} stopped working. Link again to continue.`,
    linked: say`You’re linked to ${service}${accountIs(account)}. To switch, press ${strong(label)} and sign in with that one. Your subscriptions will use it too.`,
    stopped: say`Your link to ${service}${accountIs(account, '')} stopped working. Link again, with that account or another one. Your subscriptions will use it.`,
    renewed: say`Here’s your new link to connect your account at ${service}.`,
  };
  const finish = command === undefined ? [] : say` I’ll finish ${typed(command)} as soon as you’re linked.`;
  return messageOf({
    lines: [say`${reasons[why]}${finish}`],
    small: [
      say`The link works for ${counted(minutes, 'minute')}, and only for you. If your browser shows a code, press ${strong('Enter code')}.`,
      why === 'renewed' &&
        say`Someone pressed ${strong('Send me a new link')} in a browser. Not you? Ignore this message.`,
    ],
    buttons: [
      requestButton(label, { act: 'open-link' }, { url, style: 'primary' }),
      requestButton('Enter code', { act: 'enter-code' }),
    ],
  });
}

/** Confirms a link in private; it replaces the offer once linking is done. */
export function linked(account: string | null, copy: Copy): Message {
  return notice`You’re linked to ${plainly(copy.serviceName)}${accountIs(account)}.`;
}

/** Confirms a new link by direct message, and says how to undo it. `replaced`: the account before, null if its name is unknown. */
export function linkReceipt(
  account: string | null,
  replaced: string | null | undefined,
  copy: Copy,
): Message {
  return messageOf({
    lines: [
      say`You’re now linked to ${plainly(copy.serviceName)}${accountIs(account)}.`,
      replaced !== undefined &&
        say`${replaced === null ? 'The account linked before' : plainly(replaced)} is no longer linked.`,
    ],
    small: [say`Not you? Press ${strong('Unlink')} and contact your Plancast admin.`],
    buttons: [unlinkButton],
  });
}

/** Asks a person by direct message to link again. Its button asks for a link, which would expire before the person reads this. */
export function relinkRequest(account: string | null, copy: Copy): Message {
  return messageOf({
    lines: [
      say`Your link to ${plainly(copy.serviceName)}${accountIs(account, '')} stopped working, so I can’t create, change or check your subscriptions.`,
    ],
    buttons: [linkAgain],
  });
}

/** Says how the reader is linked. `subscriptions`: how many use the link. */
export function linkStatus(link: ShownLink | null, subscriptions: number, copy: Copy): Message {
  const service = plainly(copy.serviceName);
  if (link === null) {
    const options = { style: 'primary', spokenAfter: say` your account` } as const;
    return messageOf({
      lines: [say`You’re not linked to ${service}.`],
      buttons: [requestButton('Link', { act: 'link' }, options)],
    });
  }
  const works = link.state === 'active';
  return messageOf({
    lines: [
      say`You’ve been linked to ${service}${accountIs(link.account)} since ${day(link.linkedAt)}.`,
      !works && say`🔴 This link stopped working. Link again to add, edit and check subscriptions.`,
    ],
    small: [
      subscriptions === 0
        ? say`No subscription uses it.`
        : say`${counted(subscriptions, 'subscription')} ${subscriptions === 1 ? 'uses' : 'use'} it.`,
    ],
    buttons: [works ? requestButton('Link another account', { act: 'link' }) : linkAgain, unlinkButton],
  });
}

const linkAgain = requestButton('Link again', { act: 'link' }, { style: 'primary' });
const asksFirst = say` your account; asks first`;
const unlinkButton = requestButton('Unlink', { act: 'unlink' }, { spokenAfter: asksFirst });

/** Returns " as dana@example.com", or `unnamed` if the service did not name the account. */
function accountIs(account: string | null, unnamed = ' (account name unknown)'): Phrase {
  return account?.trim() ? say` as ${strong(account)}` : [unnamed];
}

/** Asks before unlinking, and lists what pauses. */
export function unlinkQuestion(
  account: string | null,
  stops: readonly { readonly subscribed: Subscribed; readonly channelId: string }[],
  copy: Copy,
): Message {
  // Nobody else can take over a person's own.
  const until = stops.some(({ channelId }) => !isDirect(channelId)) ? ' until someone takes over' : '';
  const pausing = `${counted(stops.length, 'subscription')} will pause${until}:`;
  return messageOf({
    lines: [
      say`Unlink your account${account?.trim() ? say` ${strong(account)}` : []} at ${plainly(copy.serviceName)}?`,
      [stops.length === 0 ? 'No subscription uses it.' : pausing],
      ...stops.map(
        ({ subscribed, channelId }): Phrase => say`• ${describeTarget(subscribed)}, in ${channel(channelId)}`,
      ),
    ],
    buttons: [
      requestButton('Unlink', { act: 'unlink-now' }, { style: 'danger' }),
      requestButton('Keep the link', { act: 'dismiss' }),
    ],
  });
}

/** Confirms an unlink. `paused`: how many subscriptions used it. */
export function unlinked(paused: number, copy: Copy): Message {
  const service = plainly(copy.serviceName);
  const now =
    paused === 0 ? [] : say` ${counted(paused, 'subscription')} ${paused === 1 ? 'is' : 'are'} paused.`;
  return messageOf({
    lines: [say`You’re no longer linked to ${service}. I deleted your access token.${now}`],
    small: [say`To revoke access there too, remove this app in your account at ${service}.`],
  });
}

/** Answers `unlink` from a person who is not linked. */
export function nothingToUnlink(copy: Copy): Message {
  return notice`You’re not linked to ${plainly(copy.serviceName)}.`;
}

/** Makes the form for the code that the browser shows at the end of linking. `metadata` comes back with it. */
export function linkCodeModal(copy: Copy, metadata = ''): ModalView {
  return modal({
    callbackId: callbackIds.linkCode,
    metadata,
    title: 'Enter code',
    submit: 'Link',
    blocks: [
      section([
        say`After you sign in at ${plainly(copy.serviceName)}, your browser may show a code of six letters and digits. Enter it here.`,
      ]),
      input(actionIds.code, {
        label: 'Code',
        hint: 'Enter only a code from your own browser. Don’t share it.',
        element: { ...textField({ most: 40, placeholder: 'e.g. K7M2QX' }), focus_on_load: true },
      }),
    ],
  });
}

const codeFaults = {
  malformed: 'That isn’t a code. A code has six letters and digits, without O, I, 0 or 1.',
  expired: 'This code has expired.',
  'used up': 'Too many wrong codes.',
  'none expected': 'I’m not expecting a code from you.',
  'other account': 'You’re linked to another account, so nothing changed.',
} as const;

/** Why a code was refused. `triesLeft` counts down to `used up`. */
export type CodeFault =
  | { readonly kind: keyof typeof codeFaults }
  | { readonly kind: 'wrong'; readonly triesLeft: number };

/** Says why a code was refused, without what to do about it. */
function whyRefused(fault: CodeFault): string {
  return fault.kind === 'wrong'
    ? `That isn’t the code your browser shows. You have ${counted(fault.triesLeft, 'more try', 'more tries')}.`
    : codeFaults[fault.kind];
}

/** Whether another code can still be entered. */
function canEnter({ kind }: CodeFault): boolean {
  return kind === 'malformed' || kind === 'wrong';
}

/** Returns the errors of the code form, by block (Slack: response_action "errors"). */
export function linkCodeErrors(fault: CodeFault): Record<string, string> {
  return { [actionIds.code]: `${whyRefused(fault)}${canEnter(fault) ? '' : ' Close this and start again.'}` };
}

/** Answers a refused code that was typed as a command, in private. */
export function codeNotTaken(fault: CodeFault): Message {
  return messageOf({
    lines: [[whyRefused(fault)]],
    buttons: [
      canEnter(fault)
        ? requestButton('Enter code', { act: 'enter-code' })
        : requestButton('Start again', { act: 'link' }),
    ],
  });
}
