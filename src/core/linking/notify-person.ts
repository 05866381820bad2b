import { linkReceipt, relinkRequest, replaceAccountQuestion } from '../../messages/linking/linking.ts';
import type { Link } from '../model/link.ts';
import type { LinkMade, ReplaceQuestion } from './link-outcome.ts';
import type { LinkingRoomDeps } from './linking-deps.ts';

/** Direct messages about a link, always to the Slack user who owns it. */
export type Notify = {
  /** Names the linked account, the one it replaced, and how to undo it. */
  readonly linked: (made: LinkMade) => Promise<void>;
  readonly askToReplace: (question: ReplaceQuestion) => Promise<void>;
  readonly askToRelink: (link: Link) => Promise<void>;
};

export function makeNotify({ directMessage, copy }: LinkingRoomDeps): Notify {
  return {
    linked: ({ link, replaced }) => directMessage(link, linkReceipt(link.account, replaced, copy)),
    askToReplace: ({ person, attemptId, oldAccount, newAccount }) =>
      directMessage(person, replaceAccountQuestion({ copy, oldAccount, newAccount, value: attemptId })),
    askToRelink: (link) => directMessage(link, relinkRequest(link.account, copy)),
  };
}
