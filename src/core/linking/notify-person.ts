import { linkReceipt, relinkRequest, replaceAccountQuestion } from '../../messages/linking/linking.ts';
import type { Copy } from '../../messages/text/copy.ts';
import type { Message } from '../../messages/text/message.ts';
import type { Link } from '../model/link.ts';
import type { SlackPerson } from '../model/people.ts';
import type { LinkMade, ReplaceQuestion } from './settle-link.ts';

/** Sends a person a message that only they see. Throws if Slack cannot be reached. */
export type DirectMessage = (person: SlackPerson, message: Message) => Promise<void>;

/** Direct messages about a link, always to the Slack user who owns it. */
export type Notify = {
  /** Names the linked account, the one it replaced, and how to undo it. */
  readonly linked: (made: LinkMade) => Promise<void>;
  readonly askToReplace: (question: ReplaceQuestion) => Promise<void>;
  readonly askToRelink: (link: Link) => Promise<void>;
};

export function makeNotify(deps: { readonly directMessage: DirectMessage; readonly copy: Copy }): Notify {
  const { directMessage, copy } = deps;
  return {
    linked: ({ link, replaced }) => directMessage(link, linkReceipt(link.account, replaced, copy)),
    askToReplace: ({ person, attemptId, oldAccount, newAccount }) =>
      directMessage(person, replaceAccountQuestion({ copy, oldAccount, newAccount, value: attemptId })),
    askToRelink: (link) => directMessage(link, relinkRequest(link.account, copy)),
  };
}
