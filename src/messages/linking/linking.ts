import type { Button, ModalView } from '@slack/types';
import type { Subscribed } from '../../core/model/subscribed-of.ts';
import { actionIds, blockIds, callbackIds } from '../text/action-ids.ts';
import { type Copy, describeTarget } from '../text/copy.ts';
import { limits } from '../text/limits.ts';
import { button, type Message, messageOf, plainText, section } from '../text/message.ts';
import { channel, counted, type Phrase, plainly, strong, time, typed } from '../text/phrase.ts';

/** Why somebody is offered a link: they asked for it, something they typed needs it, or the one they had broke. */
export type LinkReason = 'asked' | 'needed' | 'again';

/** Offers a link, to the asking person alone. `url` works for `minutes`. `carriesOn`: something typed waits for it. */
export function linkOffer(offer: {
  readonly copy: Copy;
  readonly why: LinkReason;
  readonly url: string;
  readonly minutes: number;
  readonly carriesOn?: boolean | undefined;
  /** How many of their subscriptions stand still until then. */
  readonly waiting?: number | undefined;
}): Message {
  const { copy, why, url, minutes, carriesOn = false, waiting = 0 } = offer;
  const service = plainly(copy.serviceName);
  const reasons: Record<LinkReason, Phrase> = {
    asked: ['Link your account at ', service, ' with Slack: press ', strong('Link'), ' and sign in there.'],
    needed: [
      'For that I need to know who you are at ',
      service,
      '. Press ',
      strong('Link'),
      ' and sign in there, once.',
    ],
    again: [
      'Your link with ',
      service,
      ' does not work any more. Press ',
      strong('Link'),
      ' and sign in there once more.',
    ],
  };
  return messageOf({
    lines: [
      reasons[why],
      ...(waiting === 0
        ? []
        : [[`${counted(waiting, 'subscription')} of yours ${waiting === 1 ? 'waits' : 'wait'} for it.`]]),
      ...(carriesOn ? [['What you typed is then carried out by itself; you need not type it again.']] : []),
    ],
    small: [codeHint(minutes)],
    buttons: [linkButton('Link', url), codeButton()],
  });
}

/** Answers `link` of somebody who is linked already; `url` leads to another account. */
export function alreadyLinked(linked: {
  readonly copy: Copy;
  readonly account: string | null;
  readonly url: string;
  readonly minutes: number;
}): Message {
  return messageOf({
    lines: [
      ['You are linked to ', plainly(linked.copy.serviceName), ...accountIs(linked.account), '.'],
      [
        'To use another account instead, press ',
        strong('Link another account'),
        ' and sign in there with that one.',
      ],
    ],
    small: [codeHint(linked.minutes)],
    buttons: [linkButton('Link another account', linked.url), codeButton()],
  });
}

/** Asks whether the account that just signed in takes the place of the one there is. `value` names the attempt. */
export function replaceAccountQuestion(question: {
  readonly copy: Copy;
  readonly oldAccount: string | null;
  readonly newAccount: string | null;
  readonly value: string;
}): Message {
  const { copy, oldAccount, newAccount, value } = question;
  return messageOf({
    lines: [
      [
        'You are linked to ',
        plainly(copy.serviceName),
        ...accountIs(oldAccount, ''),
        ', and have just signed in there',
        ...accountIs(newAccount, ' with another account'),
        '.',
      ],
      [
        'Shall the new account take the place of the old one? Your subscriptions then go on with the new one.',
      ],
    ],
    small: [['If you did not sign in just now, keep the old one.']],
    buttons: [
      button({ actionId: actionIds.linkReplaceConfirm, label: 'Use the new one', value, style: 'primary' }),
      button({ actionId: actionIds.linkReplaceCancel, label: 'Keep the old one', value }),
    ],
  });
}

/** The form for the code that the browser shows at the end. `metadata` comes back with it. */
export function linkCodeModal({
  copy,
  metadata = '',
}: {
  readonly copy: Copy;
  readonly metadata?: string | undefined;
}): ModalView {
  if (metadata.length > limits.privateMetadata)
    throw new RangeError('The metadata of the code form is too long');
  return {
    type: 'modal',
    callback_id: callbackIds.linkCode,
    private_metadata: metadata,
    title: plainText('Enter code', limits.modalTitle),
    submit: plainText('Link', limits.modalButton),
    close: plainText('Cancel', limits.modalButton),
    blocks: [
      section([
        [
          'After you have signed in at ',
          plainly(copy.serviceName),
          ', the page in your browser may show a code of six letters and digits.',
        ],
      ]),
      {
        type: 'input',
        block_id: blockIds.code,
        label: plainText('Code', limits.inputLabel),
        hint: plainText(
          'Type only a code from your own browser, and give it to nobody else.',
          limits.inputHint,
        ),
        element: {
          type: 'plain_text_input',
          action_id: actionIds.code,
          focus_on_load: true,
          max_length: 40,
          placeholder: plainText('e.g. K7M2QX', limits.placeholder),
        },
      },
    ],
  };
}

/** What was wrong with a code. `triesLeft` counts down to `used up`. */
export type CodeFault =
  | { readonly kind: 'malformed' | 'expired' | 'used up' | 'none expected' }
  | { readonly kind: 'wrong'; readonly triesLeft: number };

/** What was wrong with a code, as a sentence: for the form's field, and for `/plancast link CODE`. */
export function codeFaultWords(fault: CodeFault): string {
  switch (fault.kind) {
    case 'malformed':
      return 'That is not a code: it has six letters and digits, without O, I, 0 and 1.';
    case 'wrong':
      return `That is not the code your browser shows. You have ${counted(fault.triesLeft, 'more try', 'more tries')}.`;
    case 'expired':
      return 'That code has expired. Close this and start linking once more.';
    case 'used up':
      return 'That was one wrong code too many. Close this and start linking once more.';
    case 'none expected':
      return 'No code is expected from you right now. Start linking first; your browser then shows the code.';
  }
}

/** The errors of the code form, by the block they belong to (Slack: response_action "errors"). */
export function linkCodeErrors(fault: CodeFault): Record<string, string> {
  return { [blockIds.code]: codeFaultWords(fault) };
}

/** The private answer to a code that was typed as a command and not taken. */
export function codeNotTaken({ fault, copy }: { readonly fault: CodeFault; readonly copy: Copy }): Message {
  const again = fault.kind === 'wrong' || fault.kind === 'malformed';
  const link = `${copy.commands.plancast} link`;
  return messageOf({
    lines: [[codeFaultWords(fault).replace('Close this and start', 'Start')]],
    small: [again ? ['To try again: ', typed(`${link} CODE`)] : ['To start: ', typed(link)]],
  });
}

/** The private answer to a code that was right. */
export function linked({ copy, account }: { readonly copy: Copy; readonly account: string | null }): Message {
  return messageOf({
    lines: [['Done: you are linked to ', plainly(copy.serviceName), ...accountIs(account), '.']],
  });
}

/** The receipt that goes to the person by direct message, with the way to undo it. */
export function linkReceipt(receipt: {
  readonly copy: Copy;
  readonly account: string | null;
  /** The account it took the place of. */
  readonly replaced?: string | null | undefined;
}): Message {
  const { copy, account, replaced } = receipt;
  return messageOf({
    lines: [
      ['Your Slack user is now linked to ', plainly(copy.serviceName), ...accountIs(account), '.'],
      ...(replaced === undefined
        ? []
        : [
            [
              replaced === null ? 'The account that was linked before' : plainly(replaced),
              ' is not linked any more.',
            ],
          ]),
    ],
    small: [['Was this not you? Press ', strong('Unlink'), ', and tell whoever looks after this bot.']],
    buttons: [unlinkButton()],
  });
}

/** Whether and how somebody is linked. */
export type LinkState =
  | { readonly kind: 'none' }
  | { readonly kind: 'active' | 'again'; readonly account: string | null; readonly linkedAt: Date };

/** Answers `status`. `subscriptions`: how many use this link. */
export function linkStatus(status: {
  readonly copy: Copy;
  readonly state: LinkState;
  readonly subscriptions: number;
}): Message {
  const { copy, state, subscriptions } = status;
  const service = plainly(copy.serviceName);
  const link = typed(`${copy.commands.plancast} link`);
  if (state.kind === 'none') {
    return messageOf({ lines: [['You are not linked to ', service, '. To link: ', link]] });
  }
  const lines: Phrase[] = [
    ['You are linked to ', service, ...accountIs(state.account), ', since ', time(state.linkedAt), '.'],
  ];
  if (state.kind === 'again') lines.push(['The link does not work any more. To renew it: ', link]);
  return messageOf({
    lines,
    small: [[`${counted(subscriptions, 'subscription')} ${subscriptions === 1 ? 'uses' : 'use'} it.`]],
    buttons: [unlinkButton()],
  });
}

/** Asks before a link goes, and names what stops with it. */
export function unlinkQuestion(question: {
  readonly copy: Copy;
  readonly account: string | null;
  readonly stops: readonly { readonly subscribed: Subscribed; readonly channelId: string }[];
  readonly value?: string | undefined;
}): Message {
  const { copy, account, stops, value } = question;
  return messageOf({
    lines: [
      ['Unlink your account at ', plainly(copy.serviceName), ...accountIs(account, ''), '?'],
      [
        stops.length === 0
          ? 'No subscription uses it, so nothing stops.'
          : `${counted(stops.length, 'subscription')} ${stops.length === 1 ? 'stops' : 'stop'} with it:`,
      ],
      ...stops.map(
        ({ subscribed, channelId }): Phrase => [
          '• ',
          ...describeTarget(subscribed),
          ', in ',
          channel(channelId),
        ],
      ),
    ],
    small:
      stops.length === 0
        ? []
        : [['Somebody else who is linked can follow the same again, with their own account.']],
    buttons: [
      button({ actionId: actionIds.unlinkConfirm, label: 'Unlink', value, style: 'danger' }),
      button({ actionId: actionIds.dismiss, label: 'Keep the link' }),
    ],
  });
}

/** The link is gone. `stopped`: how many subscriptions stopped with it. */
export function unlinked({ copy, stopped }: { readonly copy: Copy; readonly stopped: number }): Message {
  const service = plainly(copy.serviceName);
  return messageOf({
    lines: [
      [
        'You are not linked to ',
        service,
        ' any more, and I have deleted what I kept for it.',
        stopped === 0 ? '' : ` ${counted(stopped, 'subscription')} stopped with it.`,
      ],
    ],
    small: [['To take back your permission there too, remove this app in your account at ', service, '.']],
  });
}

/** Answers `unlink` of somebody who is not linked. */
export function nothingToUnlink({ copy }: { readonly copy: Copy }): Message {
  return messageOf({
    lines: [['You are not linked to ', plainly(copy.serviceName), ', so nothing changed.']],
  });
}

function accountIs(account: string | null, unnamed = ' (it did not tell the account’s name)'): Phrase {
  return account === null || account.trim() === '' ? [unnamed] : [' as ', strong(account)];
}

function codeHint(minutes: number): Phrase {
  return [
    `This works for ${counted(minutes, 'minute')}, and only for you. If your browser then shows a code, press `,
    strong('Enter code'),
    '.',
  ];
}

function linkButton(label: string, url: string): Button {
  return button({ actionId: actionIds.linkOpen, label, url, style: 'primary' });
}

function codeButton(): Button {
  return button({ actionId: actionIds.enterLinkCode, label: 'Enter code' });
}

function unlinkButton(): Button {
  return button({
    actionId: actionIds.unlinkAsk,
    label: 'Unlink',
    spoken: ['Unlink your account; what stops with it is listed first'],
  });
}
