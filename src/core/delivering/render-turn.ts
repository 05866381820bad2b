import type { Log } from '../../lib/log.ts';
import type { ActivityLook, ActivityMode } from '../../messages/activity/activity.ts';
import type { SummaryReason } from '../../messages/activity/summary-title.ts';
import { ownFaults } from '../../messages/explaining/dead-reasons.ts';
import type { Message } from '../../messages/text/message.ts';
import type { WaitingAnnouncement } from '../../store/tables/announcements.ts';
import type { Change } from '../model/change.ts';
import type { Clock } from '../model/clock.ts';
import type { Outage } from '../model/outage.ts';
import type { Channel } from '../model/people.ts';
import { resumedSubject } from '../model/summary-lead.ts';
import type { Turn } from './turn.ts';

/** How a turn's message is rendered, beyond what it is about. */
export type Style = { readonly look: ActivityLook; readonly lead: WaitingAnnouncement<Message> | undefined };

export type RenderTurnDeps = {
  readonly clock: Clock;
  readonly renderActivity: (input: {
    changes: readonly Change[];
    now: Date;
    mode: ActivityMode;
    skipped: number;
    endedSubscription: boolean;
    because: SummaryReason | undefined;
    since: Date | null;
    outage: Outage | null;
    look: ActivityLook;
    lead: Message | undefined;
  }) => Message;
  readonly log: Pick<Log, 'warn'>;
};

/** Renders the message of a turn. */
export function makeRenderTurn({ clock, renderActivity, log }: RenderTurnDeps) {
  return { render, renderSafely };

  /** Renders a turn's message without the events that stop it, which are dead letters; null where nothing of it is left. */
  function renderSafely(turn: Turn, lane: Channel, style: Style): { message: Message | null; turn: Turn } {
    try {
      return { message: render(turn, turn.changes, turn.since, style), turn };
    } catch (error) {
      const bad = turn.changes.flatMap((change, index) => (isRenderable(turn, change, style) ? [] : [index]));
      // Where each can be rendered, but not all together, nobody can say which one stops it.
      const broken = new Set(bad.length === 0 ? turn.changes.keys() : bad);
      const fields = { err: error, team: lane.teamId, channel: lane.channelId, events: broken.size };
      log.warn(fields, 'dead letter: no message could be made');
      const rest = without(turn, broken);
      const isSilent = rest.changes.length + rest.stale === 0;
      return { message: isSilent ? null : render(rest, rest.changes, rest.since, style), turn: rest };
    }
  }

  function isRenderable(turn: Turn, change: Change, style: Style): boolean {
    try {
      render(turn, [change], turn.since, style);
      return true;
    } catch {
      return false;
    }
  }

  function render(
    turn: Turn,
    changes: readonly Change[],
    since: Date | null,
    { look, lead }: Style,
  ): Message {
    const isBack = lead?.subject === resumedSubject;
    return renderActivity({
      changes,
      now: clock.now(),
      mode: turn.kind === 'summary' ? 'summary' : 'live',
      skipped: turn.stale,
      endedSubscription: turn.ended.length > turn.endedUnseen.length,
      because: isBack ? 'away' : (turn.because ?? undefined),
      since,
      outage: turn.outage,
      look,
      lead: lead?.message,
    });
  }
}

/** A turn without some of its changes, given by their places, which no message can be made of. */
function without(turn: Turn, broken: ReadonlySet<number>): Turn {
  const isWhole = (_: unknown, index: number) => !broken.has(index);
  return {
    ...turn,
    changes: turn.changes.filter(isWhole),
    posted: turn.posted.filter(isWhole),
    broken: new Map([
      ...turn.broken,
      [ownFaults.unrenderable, turn.posted.filter((seq, index) => !isWhole(seq, index))],
    ]),
  };
}

/** Renders the messages of turns. */
export type RenderTurn = ReturnType<typeof makeRenderTurn>;
