import type { CommandContext } from '../../core/access/command-context.ts';
import type { Bot } from '../../core/bot.ts';
import type { ShownEvent } from '../../core/channels/exclude.ts';
import type { pause } from '../../core/channels/pause-subscription.ts';
import type { Exclusion } from '../../core/model/exclusion.ts';
import type { RequestsRoom } from '../../core/requests/requests-room.ts';
import type { OpenForm, UpdateForm } from '../../core/slack.ts';
import type { Log } from '../../lib/log.ts';
import type { Answer } from '../replies/answer.ts';
import type { Handler } from './press.ts';

/** A live subscription, in the form that core uses. */
export type LiveSubscription = Parameters<typeof pause>[2];

/** What the handlers of buttons and fields call: use cases by room, and what else they look up and show. */
export type ActionDeps = Omit<RequestsRoom, 'submitForm'> & {
  readonly bot: Bot;
  /** Finds a live subscription in the person's workspace or another of its organization. */
  readonly subscriptionOf: (context: CommandContext, id: string) => Promise<LiveSubscription | null>;
  /** Finds an exclusion, current or ended, in the person's workspace or another of its organization. */
  readonly exclusionOf: (context: CommandContext, id: string) => Promise<Exclusion | null>;
  /** Returns the subscription of an event in the channel; null if the event no longer exists. */
  readonly subscriptionIdOf: (context: CommandContext, eventId: string) => Promise<string | null>;
  /** Returns an event of the channel, with its change as shown there; null if its details are no longer stored. */
  readonly shownEvent: (context: CommandContext, eventId: string) => Promise<ShownEvent | null>;
  readonly answer: Answer;
  readonly openForm: OpenForm;
  readonly pushForm: OpenForm;
  readonly updateForm: UpdateForm;
  /** Records when Slack saw a change of a form, in seconds; false if any process has already recorded a newer one. */
  readonly noteChange: (viewId: string, at: number) => Promise<boolean>;
  /** Records that More options was pressed in a form. */
  readonly noteMore: (viewId: string) => Promise<void>;
  /** Returns whether it was pressed, even if the form no longer shows it. */
  readonly hasMore: (viewId: string) => Promise<boolean>;
  readonly log: Pick<Log, 'warn'>;
};

/** The same for handlers that count as commands: `admitted` wraps them in the check that every request passes. */
export type AdmittingDeps = ActionDeps & { readonly admitted: (handler: Handler) => Handler };
