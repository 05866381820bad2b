import { linkReceipt, replaceAccountQuestion } from '../../messages/linking/linking.ts';
import { relinkRequest } from '../../messages/linking/relink-request.ts';
import type { Copy } from '../../messages/text/copy.ts';
import type { Message } from '../../messages/text/message.ts';
import type { Link } from '../model/link.ts';
import type { SlackPerson } from '../model/people.ts';
import type { LinkMade, ReplaceQuestion } from './settle-link.ts';

/** Sends somebody a message that they alone see. Throws where Slack cannot be asked. */
export type DirectMessage = (person: SlackPerson, message: Message) => Promise<void>;

/** What people are told about their link outside of an answer. It goes to the Slack user whose link it is, and to nobody else. */
export type Notify = {
  /** To which account they are linked now, which one that replaced, and how to undo it. */
  readonly linked: (made: LinkMade) => Promise<void>;
  readonly askToReplace: (question: ReplaceQuestion) => Promise<void>;
  readonly askToRelink: (link: Link) => Promise<void>;
};

export function makeNotify({
  directMessage,
  copy,
}: {
  readonly directMessage: DirectMessage;
  readonly copy: Copy;
}): Notify {
  return {
    linked: ({ link, replaced }) =>
      directMessage(link, linkReceipt({ copy, account: link.account, replaced })),
    askToReplace: ({ person, attemptId, oldAccount, newAccount }) =>
      directMessage(person, replaceAccountQuestion({ copy, oldAccount, newAccount, value: attemptId })),
    askToRelink: (link) => directMessage(link, relinkRequest({ copy, account: link.account })),
  };
}
