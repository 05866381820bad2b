import * as exclusions from '../../store/tables/exclusions.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { Bot } from '../bot.ts';
import type { Exclusion } from '../model/exclusion.ts';
import type { CommandContext } from './command-context.ts';

/** A live subscription, for an adapter that hands it on. */
export type PressedSubscription = Subscription;

/** Finds a live subscription in the person's workspace or another of its organization. */
export const subscriptionPressed = (
  { db }: Bot,
  { person }: CommandContext,
  id: string,
): Promise<Subscription | null> => subscriptions.ofOrganization(db, person, id);

/** Finds an exclusion, current or ended, in the person's workspace or another of its organization. */
export const exclusionPressed = (
  { db }: Bot,
  { person }: CommandContext,
  id: string,
): Promise<Exclusion | null> => exclusions.ofOrganization(db, person, id);
