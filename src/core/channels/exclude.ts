import { actorOf } from '../../messages/activity/deeds.ts';
import {
  cannotExclude,
  type ExcludedThing,
  exclusionChanged,
  exclusionUnchanged,
  itemDeleted,
  tooManyExclusions,
} from '../../messages/subscribing/exclusions.ts';
import type { PostedEvent } from '../../store/tables/events.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { whoActs } from '../access/who-acts.ts';
import type { Change } from '../model/change.ts';
import { type Exclusion, type ExclusionSubject, mostExclusions } from '../model/exclusion.ts';
import { itemKey } from '../model/item-keys.ts';
import type { ChannelsRoomDeps } from './channels-deps.ts';
import { nameExcluded } from './list-exclusions.ts';
import type { ReplyIfClosed } from './reply-if-closed.ts';

/** An event that a message shows, and the change as people in the channel see it. `isGone`: its item was deleted, then or later. */
export type ShownEvent = {
  readonly event: PostedEvent;
  readonly change: Change;
  readonly isGone: boolean;
};

type ExcludeDeps = ChannelsRoomDeps & { readonly replyIfClosed: ReplyIfClosed };

/** Mutes single items and people in a channel, and unmutes them. Their events are filtered, not held for later. */
export function makeExclude(deps: ExcludeDeps) {
  const { clock, exclusions, inTransaction } = deps;

  async function exclude(
    context: CommandContext,
    subject: ExclusionSubject,
    thing: ExcludedThing,
  ): Promise<void> {
    const channel = channelOf(context);
    const by = await whoActs(context, deps.profileOf);
    if ((await exclusions.countIn(channel)) >= mostExclusions) {
      return context.reply(tooManyExclusions(mostExclusions, context.copy));
    }
    const added = await inTransaction(async ({ exclusions: table, announce, audit }) => {
      const row = await table.add(channel, subject, { byUserId: by.userId, now: clock.now() });
      if (row === null) return null;
      const announcement = exclusionChanged({ by, thing, isMuted: true, value: row.id });
      await announce(channel, announcement);
      await audit(context, subject.kind === 'item' ? 'mute item' : 'skip person', row.id);
      return announcement;
    });
    if (added === null) return context.reply(exclusionUnchanged({ thing, isMuted: true }));
    await deps.replyIfClosed(context, added);
    await deps.refreshHome(context.person);
  }

  return {
    /** Stops posting changes of the event's item, and of everything in it, in this channel. */
    async muteItem(context: CommandContext, { event, change, isGone }: ShownEvent): Promise<void> {
      if (isGone) return context.reply(itemDeleted);
      const key = itemKey(event.notification);
      if (key === null) return context.reply(cannotExclude('item'));
      const { kind: itemKind, name, folder } = change;
      const subject = { kind: 'item', key, itemKind, name, folder } as const;
      await exclude(context, subject, subject);
    },

    /** Stops posting changes by the person behind an event in this channel. */
    async skipPerson(context: CommandContext, { change }: ShownEvent): Promise<void> {
      const key = change.actorEmail?.toLowerCase();
      if (key === undefined) return context.reply(cannotExclude('person'));
      await exclude(context, { kind: 'person', key }, { kind: 'person', name: actorOf(change) });
    },

    /** Resumes posting what was muted or hidden. */
    async showAgain(context: CommandContext, row: Exclusion): Promise<void> {
      const by = await whoActs(context, deps.profileOf);
      const thing = await nameExcluded(deps.bot, row, row.subject);
      const isNew = await inTransaction(async ({ exclusions: table, announce, audit }) => {
        if (!(await table.end(row.id, clock.now()))) return false;
        await announce(row, exclusionChanged({ by, thing, isMuted: false, value: row.id }));
        await audit(context, 'show again', row.id);
        return true;
      });
      if (!isNew) return context.reply(exclusionUnchanged({ thing, isMuted: false }));
      await deps.refreshHome(context.person);
    },
  };
}
