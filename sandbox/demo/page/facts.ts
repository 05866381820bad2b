import type { Account, Tally } from '../ledger.ts';
import type { FaultSettings } from '../practice-faults.ts';
import type { ServiceProject, ServiceState } from '../practice-states.ts';
import type { Progress } from '../progress.ts';
import type { LookingAt } from './looking-at.ts';

/** What anyone has done on the page so far. */
export type Happened = {
  /** What was sent: the ids of the person and the channel, then the command or message. */
  readonly said: ReadonlySet<string>;
  /** Emails of the linked accounts. */
  readonly linked: ReadonlySet<string>;
  /** Subscriptions created and removed at the service, in order. */
  readonly subscribed: readonly {
    readonly change: 'created' | 'removed';
    readonly user: string;
    readonly resource: string;
  }[];
  readonly hasChanged: boolean;
  /** Ids of channels in which the bot has posted a message: their subscriptions were announced. */
  readonly announced: ReadonlySet<string>;
  /** Calls that Slack has refused with 429. */
  readonly refusals: number;
};

/** Everything the guide depends on. */
export type Facts = {
  readonly happened: Happened;
  readonly account: Account;
  readonly faults: FaultSettings;
  readonly progress: Progress;
  readonly service: ServiceState;
  /** What is shown beside Slack. */
  readonly side: LookingAt['side'];
  /** IANA name: the time zone of the person being played. */
  readonly zone: string;
};

/** The project that the guide uses. */
export const harbourTower = '412-873-550';

/** Returns that project's current state; undefined after it was deleted. */
export function towerOf({ service }: Facts): ServiceProject | undefined {
  return service.projects.find(({ id }) => id === harbourTower);
}

/** Returns where the events of a guide action are; undefined before the action. */
export function tallyOf({ account }: Facts, name: string): Tally | undefined {
  return account.runs.get(name);
}

/** Returns whether that project is followed in this channel, as far as can be seen from outside. */
export function isFollowed({ service, happened }: Facts, channelId: string): boolean {
  const isAny = service.subscriptions.some(({ resource }) => resource.includes(harbourTower));
  return isAny && happened.announced.has(channelId);
}
