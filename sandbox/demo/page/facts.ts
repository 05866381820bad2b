import type { Account, Tally } from '../ledger.ts';
import type { FaultSettings } from '../practice-faults.ts';
import type { ServiceProject, ServiceState } from '../practice-states.ts';
import type { Progress } from '../progress.ts';
import type { LookingAt } from './looking-at.ts';

/** What has happened at the page so far, done by anyone. */
export type Happened = {
  /** Commands that were sent: ids of the person and the channel, then the line. */
  readonly said: ReadonlySet<string>;
  /** E-mails of those whose accounts were linked. */
  readonly linked: ReadonlySet<string>;
  /** Records made and removed at the service, in order. */
  readonly subscribed: readonly {
    readonly change: 'created' | 'removed';
    readonly user: string;
    readonly resource: string;
  }[];
  readonly hasChanged: boolean;
  /** Ids of the channels in which the bot has said something for all to read: what they follow. */
  readonly announced: ReadonlySet<string>;
  /** Calls that Slack has refused with 429. */
  readonly refusals: number;
};

/** All that the guide goes by. */
export type Facts = {
  readonly happened: Happened;
  readonly account: Account;
  readonly faults: FaultSettings;
  readonly progress: Progress;
  readonly service: ServiceState;
  /** What is shown beside Slack. */
  readonly side: LookingAt['side'];
  /** IANA name: where the person who is played lives. */
  readonly zone: string;
};

/** The project on which everything is tried. */
export const harbourTower = '412-873-550';

/** That project as it is now; undefined once it is deleted. */
export function towerOf({ service }: Facts): ServiceProject | undefined {
  return service.projects.find(({ id }) => id === harbourTower);
}

/** Where the events of an act of the guide are; undefined until it was done. */
export function tallyOf({ account }: Facts, name: string): Tally | undefined {
  return account.runs.get(name);
}

/** Whether that project is followed, in this channel as far as can be seen from outside. */
export function isFollowed({ service, happened }: Facts, channelId: string): boolean {
  const isAny = service.subscriptions.some(({ resource }) => resource.includes(harbourTower));
  return isAny && happened.announced.has(channelId);
}
