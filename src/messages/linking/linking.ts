import type { Button, ModalView } from '@slack/types';
import type { Subscribed } from '../../core/model/subscribed-of.ts';
import { actionIds, blockIds, callbackIds } from '../text/action-ids.ts';
import { type Copy, describeTarget } from '../text/copy.ts';
import { limits } from '../text/limits.ts';
import { button, type Message, messageOf, plainText, section } from '../text/message.ts';
import { channel, counted, type Phrase, plainly, strong, time, typed } from '../text/phrase.ts';

/** Why a link is offered: the person asked for it, a command needs it, or their old link stopped working. */
export type LinkReason = 'asked' | 'needed' | 'again';

/**
 * Offers a link, visible to the asking person only. `url` works for `minutes`.
 *
 * @param offer `command` is the line that runs once the link is made; `waiting` counts their subscriptions paused until then
 */
export function linkOffer(offer: {
  readonly copy: Copy;
  readonly why: LinkReason;
  readonly url: string;
  readonly minutes: number;
  readonly command?: string | undefined;
  readonly waiting?: number | undefined;
}): Message {
  const { copy, why, url, minutes, command, waiting = 0 } = offer;
  const service = plainly(copy.serviceName);
  const reasons: Record<LinkReason, Phrase> = {
    asked: ['Link your account at ', service, ' to Slack.'],
    needed: ['Link your account at ', service, ' to continue.'],
    again: ['Your link to ', service, ' stopped working. Link again to continue.'],
  };
  return messageOf({
    lines: [
      [
        ...reasons[why],
        ...(command === undefined ? [] : [' I’ll finish ', typed(command), ' as soon as you’re linked.']),
      ],
      ...(waiting === 0
        ? []
        : [
            [
              `${counted(waiting, 'subscription')} of yours ${waiting === 1 ? 'is' : 'are'} paused until then.`,
            ],
          ]),
    ],
    small: [codeHint(minutes)],
    buttons: [linkButton('Link', url), codeButton()],
  });
}

/** Answers `link` of a person who is already linked; `url` leads to another account. */
export function alreadyLinked(linked: {
  readonly copy: Copy;
  readonly account: string | null;
  readonly url: string;
  readonly minutes: number;
}): Message {
  return messageOf({
    lines: [
      ['You’re linked to ', plainly(linked.copy.serviceName), ...accountIs(linked.account), '.'],
      ['To switch, press ', strong('Link another account'), ' and sign in with that one.'],
    ],
    small: [codeHint(linked.minutes)],
    buttons: [linkButton('Link another account', linked.url), codeButton()],
  });
}

/** Asks whether the account that just signed in replaces the linked one. `value` names the attempt. */
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
        'You’re linked to ',
        plainly(copy.serviceName),
        ...accountIs(oldAccount, ''),
        ', and just signed in there',
        ...accountIs(newAccount, ' with another account'),
        '.',
      ],
      ['Which account do you want to use? Your subscriptions will use it too.'],
    ],
    small: [['Didn’t just sign in? Keep the old one.']],
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
          'After you sign in at ',
          plainly(copy.serviceName),
          ', your browser may show a code of six letters and digits. Enter it here.',
        ],
      ]),
      {
        type: 'input',
        block_id: blockIds.code,
        label: plainText('Code', limits.inputLabel),
        hint: plainText('Enter only a code from your own browser. Don’t share it.', limits.inputHint),
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

/** Why a code was refused. `triesLeft` counts down to `used up`. */
export type CodeFault =
  | { readonly kind: 'malformed' | 'expired' | 'used up' | 'none expected' }
  | { readonly kind: 'wrong'; readonly triesLeft: number };

/** The same as a sentence: for the form's field and for `/plancast link CODE`. */
export function codeFaultWords(fault: CodeFault): string {
  switch (fault.kind) {
    case 'malformed':
      return 'That isn’t a code. A code has six letters and digits, without O, I, 0 or 1.';
    case 'wrong':
      return `That isn’t the code your browser shows. You have ${counted(fault.triesLeft, 'more try', 'more tries')}.`;
    case 'expired':
      return 'This code has expired. Close this and start again.';
    case 'used up':
      return 'Too many wrong codes. Close this and start again.';
    case 'none expected':
      return 'I’m not waiting for a code from you. Start linking first; your browser then shows one.';
  }
}

/** The errors of the code form, by the block they belong to (Slack: response_action "errors"). */
export function linkCodeErrors(fault: CodeFault): Record<string, string> {
  return { [blockIds.code]: codeFaultWords(fault) };
}

/** The private answer to a refused code that was typed as a command. */
export function codeNotTaken({ fault, copy }: { readonly fault: CodeFault; readonly copy: Copy }): Message {
  const link = `${copy.commands.plancast} link`;
  const fact = codeFaultWords(fault).replace(' Close this and start again.', '');
  switch (fault.kind) {
    case 'wrong':
    case 'malformed':
      return messageOf({ lines: [[fact, ' Try again with ', typed(`${link} CODE`), '.']] });
    case 'none expected':
      return messageOf({ lines: [['I’m not waiting for a code from you. Start with ', typed(link), '.']] });
    case 'expired':
    case 'used up':
      return messageOf({ lines: [[fact, ' Start again with ', typed(link), '.']] });
  }
}

/** Confirms a link in private; it replaces the offer once linking is done. */
export function linked({ copy, account }: { readonly copy: Copy; readonly account: string | null }): Message {
  return messageOf({
    lines: [['You’re linked to ', plainly(copy.serviceName), ...accountIs(account), '.']],
  });
}

/** Tells the person by direct message about their new link, and how to undo it. */
export function linkReceipt(receipt: {
  readonly copy: Copy;
  readonly account: string | null;
  /** The account it replaced; null if that had no name. */
  readonly replaced?: string | null | undefined;
}): Message {
  const { copy, account, replaced } = receipt;
  return messageOf({
    lines: [
      ['Your Slack user is now linked to ', plainly(copy.serviceName), ...accountIs(account), '.'],
      ...(replaced === undefined
        ? []
        : [[replaced === null ? 'The account linked before' : plainly(replaced), ' is no longer linked.']]),
    ],
    small: [['Wasn’t you? Press ', strong('Unlink'), ' and contact your Plancast admin.']],
    buttons: [unlinkButton()],
  });
}

/** Whether and how a person is linked. */
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
    return messageOf({ lines: [['You’re not linked to ', service, '. To link: ', link]] });
  }
  const lines: Phrase[] = [
    ['You’re linked to ', service, ...accountIs(state.account), ' since ', time(state.linkedAt), '.'],
  ];
  if (state.kind === 'again') lines.push(['The link stopped working. To renew it: ', link]);
  return messageOf({
    lines,
    small: [
      [
        `${subscriptions === 0 ? 'No subscription uses' : `${counted(subscriptions, 'subscription')} ${subscriptions === 1 ? 'uses' : 'use'}`} it.`,
      ],
    ],
    buttons: [unlinkButton()],
  });
}

/** Asks before unlinking, and lists what stops. */
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
        : [['Anyone in the channel who is linked can subscribe again with their own account.']],
    buttons: [
      button({ actionId: actionIds.unlinkConfirm, label: 'Unlink', value, style: 'danger' }),
      button({ actionId: actionIds.dismiss, label: 'Keep the link' }),
    ],
  });
}

/** Confirms an unlink. `stopped`: how many subscriptions stopped with it. */
export function unlinked({ copy, stopped }: { readonly copy: Copy; readonly stopped: number }): Message {
  const service = plainly(copy.serviceName);
  return messageOf({
    lines: [
      [
        'You’re no longer linked to ',
        service,
        '. I deleted your access token.',
        stopped === 0 ? '' : ` ${counted(stopped, 'subscription')} stopped with it.`,
      ],
    ],
    small: [['To revoke access there too, remove this app in your account at ', service, '.']],
  });
}

/** Answers `unlink` of a person who is not linked. */
export function nothingToUnlink({ copy }: { readonly copy: Copy }): Message {
  return messageOf({
    lines: [['You’re not linked to ', plainly(copy.serviceName), ', so nothing changed.']],
  });
}

function accountIs(account: string | null, unnamed = ' (account name unknown)'): Phrase {
  return account === null || account.trim() === '' ? [unnamed] : [' as ', strong(account)];
}

function codeHint(minutes: number): Phrase {
  return [
    `The link works for ${counted(minutes, 'minute')}, and only for you. If your browser shows a code, press `,
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
    spoken: ['Unlink your account; lists what stops first'],
  });
}
