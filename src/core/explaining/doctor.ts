import {
  doctorReport,
  postedAgain,
  postingResumed,
  repaired,
  subscriptionsChecked,
} from '../../messages/explaining/doctor.ts';
import type { Finding } from '../../messages/explaining/findings.ts';
import { alreadyGone } from '../../messages/subscribing/answers.ts';
import { cannotPost } from '../../messages/subscribing/refusals.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { isDirect, ownerOf } from '../model/people.ts';
import { subscribedOf } from '../model/subscribed-of.ts';
import type { CheckChannel } from './check-channel.ts';
import type { CheckSubscription } from './check-subscription.ts';
import type { ExplainingRoomDeps } from './explaining-deps.ts';
import type { ReplayDeadLetters } from './replay-dead-letters.ts';
import { supportText } from './support-text.ts';

type DoctorDeps = ExplainingRoomDeps & {
  readonly checkChannel: CheckChannel;
  readonly checkSubscription: CheckSubscription;
  readonly replay: ReplayDeadLetters;
};

/** The most dead letters that one click retries. */
const deadAtOnce = 1_000;

/** Checks everything a channel needs to get messages, and runs the repairs. */
export function makeDoctor(deps: DoctorDeps) {
  const { subscriptions } = deps;

  /** `/plancast doctor`. `detailed` shows every check; `replace` replaces the message whose button was clicked. */
  async function report(
    context: CommandContext,
    { detailed = false, replace }: { readonly detailed?: boolean; readonly replace?: boolean } = {},
  ): Promise<void> {
    const channel = channelOf(context);
    const [rows, check, own] = await Promise.all([
      subscriptions.ofChannel(channel),
      deps.checkChannel(context),
      deps.links.of(context.person),
    ]);
    const shown = rows.slice(0, subscriptionsChecked);
    const [posts, checks] = await Promise.all([
      deps.traces.lastPosts(shown.map(({ id }) => id)),
      Promise.all(shown.map((row) => deps.checkSubscription(context, row))),
    ]);
    const { userId } = context.person;
    const reader: Finding = {
      about: 'link',
      owner: { userId, name: userId },
      isReader: true,
      standing: own?.state ?? 'none',
    };
    // If one of the subscriptions is the reader's own, its findings already include their link.
    const isShownBelow = shown.some(({ ownerUserId }) => ownerUserId === userId);
    await context.reply(
      doctorReport({
        channel: isShownBelow ? check.findings : [...check.findings, reader],
        subscriptions: checks.map(({ row, findings }) => ({
          subscribed: subscribedOf(row),
          findings: [...findings, ...timesOf(row, posts)],
        })),
        unchecked: rows.length - shown.length,
        detailed,
        personal: isDirect(channel.channelId),
        support: supportText({ channel, check, checks, posts, count: rows.length, now: deps.clock.now() }),
        copy: context.copy,
      }),
      { replace },
    );
  }

  /** Checks one subscription again, and recreates it at the service if it is missing there. */
  async function repairRemoteSubscription(context: CommandContext, id: string): Promise<void> {
    const row = await ownRow(context, id);
    if (row === null) return context.reply(alreadyGone);
    const link = await deps.links.of(ownerOf(row));
    if (link) await deps.checkLink(link.id);
    const now = await ownRow(context, id);
    if (now === null) return context.reply(alreadyGone);
    const { findings } = await deps.checkSubscription(context, now);
    await context.reply(repaired(subscribedOf(now), findings, context.copy));
  }

  /** Resumes posting in a channel that had been closed to the bot. */
  async function repairPosting(context: CommandContext): Promise<void> {
    const channel = channelOf(context);
    const why = await deps.mayPost(channel);
    if (why !== 'yes')
      return context.reply(cannotPost({ why, botName: await deps.botNameOf(context.person) }));
    await deps.resumeChannel(channel, 'seen');
    await context.reply(postingResumed);
  }

  /** Retries this channel's dead letters. */
  async function replayDeadLetters(context: CommandContext): Promise<void> {
    const seqs = await deps.traces.dead(channelOf(context), deadAtOnce);
    const count = seqs.length === 0 ? 0 : await deps.replay(context, seqs);
    await context.reply(postedAgain(count));
  }

  /** Returns a live subscription if it belongs to the channel in which it was asked for: an id alone proves nothing. */
  async function ownRow(context: CommandContext, id: string): Promise<Subscription | null> {
    const row = await subscriptions.ofWorkspace(context.person, id);
    return row?.channelId === context.channelId ? row : null;
  }

  return { report, repairRemoteSubscription, repairPosting, replayDeadLetters };
}

function timesOf(row: Subscription, posts: ReadonlyMap<string, Date>): Finding[] {
  return [
    { about: 'last event', at: row.lastEventAt },
    { about: 'last post', at: posts.get(row.id) ?? null },
  ];
}
