import { linked } from '../../messages/linking/linking.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { SlackPerson } from '../model/people.ts';
import type { LinkingRoomDeps } from './linking-deps.ts';

export type LinkOffers = {
  /** Remembers a click on Link. */
  readonly pressed: (context: Pick<CommandContext, 'person' | 'responseUrl'>) => Promise<void>;
  /** Replaces the offer that the person clicked with the confirmation of their link; an offer that was not clicked stays. */
  readonly replace: (person: SlackPerson, account: string | null) => Promise<void>;
};

/** Replaces Link offers once they are used, because their buttons no longer work. */
export function makeLinkOffers({ pressedOffers, answer, copy }: LinkingRoomDeps): LinkOffers {
  return {
    pressed: async ({ person, responseUrl }) => {
      if (responseUrl !== null) await pressedOffers.set(keyOf(person), responseUrl);
    },
    replace: async (person, account) => {
      const responseUrl = await pressedOffers.get(keyOf(person));
      if (responseUrl === undefined) return;
      await pressedOffers.delete(keyOf(person));
      await answer(responseUrl, linked(account, copy), { replace: true });
    },
  };
}

function keyOf({ teamId, userId }: SlackPerson): string {
  return `${teamId}:${userId}`;
}
