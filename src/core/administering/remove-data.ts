import {
  dataRemoved,
  type RemoveDataKind,
  removeDataErrors,
  removeDataForm,
} from '../../messages/admin/remove-data.ts';
import { refused } from '../../messages/subscribing/refusals.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { homeOf } from '../access/home-workspace.ts';
import { Refusal } from '../access/refusal.ts';
import { requireAdmin } from '../access/who-may.ts';
import { whoOf } from '../model/names-of.ts';
import type { SlackPerson } from '../model/people.ts';
import { removeSeveral } from '../subscribing/unsubscribe.ts';
import type { VisibleChannelsDeps } from './visible-channels.ts';

/** What was entered in the form. */
export type TypedRemoval = {
  readonly kind: RemoveDataKind;
  readonly channelId: string | null;
  readonly userId: string | null;
};

/** Removes all data of a channel or a person, for admins. */
export function makeRemoveAll(deps: VisibleChannelsDeps) {
  /** Ends the rows; an announcement in each channel says what was removed there. */
  async function endAll(context: CommandContext, rows: readonly Subscription[]): Promise<void> {
    for (const own of Map.groupBy(rows, ({ channelId }) => channelId).values()) {
      const [first] = own;
      if (first) {
        const there = { ...context.about(first.channelId), reply: async () => undefined };
        await removeSeveral(deps.bot, there, own, { canUndo: false });
      }
    }
  }

  async function ofChannel(context: CommandContext, channelId: string): Promise<void> {
    await requireAdmin(deps.bot, context);
    const { ids } = await deps.visibleChannels(context.person);
    // The list of their channels may be stale and lack the newest.
    const isVisible = ids.has(channelId) || (await deps.isInChannel(context.person, channelId)) === 'yes';
    if (!isVisible) throw new Refusal(context, refused('not in channel'));
    const channel = channelOf({ ...context, channelId });
    const rows = await deps.subscriptions.ofChannel(channel);
    // First, since what follows is many transactions, and the process may die in between.
    await deps.audit(context.about(channelId), 'remove channel', channelId);
    await endAll(context, rows);
    await deps.removeData.ofChannel(channel);
    // An admin of one workspace must not remove what another one of the organization stores.
    const isElsewhere = (await homeOf(deps.bot, channel)).teamId !== channel.teamId;
    await context.reply(
      dataRemoved({ of: { kind: 'channel', channelId, isElsewhere }, subscriptions: rows.length }),
    );
  }

  async function ofPerson(context: CommandContext, userId: string): Promise<void> {
    await requireAdmin(deps.bot, context);
    const person: SlackPerson = { ...context.person, userId };
    const who = await whoOf(deps.profileOf, person);
    // Looked up before the link is removed, because the link knows one of them.
    const emails = await deps.emailsOf(person, userId).catch(() => []);
    const all = await deps.subscriptions.ofOwner(person);
    const rows = all.filter(({ teamId }) => teamId === person.teamId);
    await deps.audit(context, 'remove person', userId);
    await endAll(context, rows);
    // One link serves all workspaces of an organization: an admin of one must not remove it for the others.
    if (rows.length === all.length) await deps.unlink(person, context.person);
    await deps.removeData.ofPerson(person, emails);
    await context.reply(dataRemoved({ of: { kind: 'person', who }, subscriptions: rows.length }));
  }

  return {
    /** Opens the form. */
    async show(context: CommandContext): Promise<void> {
      await requireAdmin(deps.bot, context);
      await deps.openForm(context, removeDataForm(''));
    },

    /** Returns the form's errors by field, or the work it asks for. */
    submit(
      context: CommandContext,
      { kind, channelId, userId }: TypedRemoval,
    ): { readonly errors: Readonly<Record<string, string>> } | { readonly work: () => Promise<void> } {
      const chosen = kind === 'channel' ? channelId : userId;
      if (chosen === null) return { errors: removeDataErrors(kind) };
      return { work: () => (kind === 'channel' ? ofChannel(context, chosen) : ofPerson(context, chosen)) };
    },
  };
}

export type RemoveAll = ReturnType<typeof makeRemoveAll>;
