import { expect } from 'vitest';
import type { Channel, User } from '../../sandbox/slack/directory.ts';
import { heldBy } from '../../sandbox/slack/element-values.ts';
import { findElements } from '../../sandbox/slack/find-elements.ts';
import type { Message } from '../../sandbox/slack/messages.ts';
import { stateValues, type View } from '../../sandbox/slack/views.ts';
import type { Stage } from './stage.ts';

/** Makes functions for what people do with lists and forms on a stage. */
export function makeStageActions(stage: () => Stage) {
  return {
    newChannel: (name: string, members: readonly User[]) => stage().slack.addChannel({ name, members }),

    /** Types a command that subscribes, and waits for the channel's announcement. */
    async following(user: User, channel: Channel, line = '/subscribe project 412-873-550'): Promise<Message> {
      await stage().type(user, line, channel);
      return stage().slack.waitForMessage(channel, 'to this channel');
    },

    /** Types the command for the channel's list, and waits for the list. */
    async listOf(user: User, channel: Channel, line = '/subscriptions'): Promise<Message> {
      const { slack } = stage();
      const before = new Set(slack.ephemerals(user).map(({ id }) => id));
      await stage().type(user, line, channel);
      return slack.waitForEphemeral(
        user,
        (message) => !before.has(message.id) && /This channel has .*subscription/.test(message.text),
      );
    },

    /** Opens the form, ignoring any that is still open. Returns its first step. */
    async openForm(user: User, open: () => Promise<unknown>): Promise<View> {
      const { slack } = stage();
      const before = slack.lastView(user)?.id;
      await open();
      return slack.waitForView(
        user,
        (view) =>
          view.id !== before &&
          view === slack.lastView(user) &&
          slack.textOf(view).includes('Project, session or link'),
      );
    },

    /** Types into the first field of the form, chooses what it offers first, and presses Next. Returns the second step. */
    async choose(user: User, form: View, text: string): Promise<View> {
      const { slack } = stage();
      const { options } = await slack.suggest({ user, view: form, actionId: 'target', value: text });
      const sent = await slack.submitView({ user, viewId: form, values: { target: options[0] } });
      const next = slack.lastView(user);
      if (sent.outcome !== 'updated' || !next) throw new Error(JSON.stringify(sent.errors));
      return next;
    },

    /** Presses More options, and waits until the form shows them. */
    async openMore(user: User, form: View): Promise<void> {
      await stage().slack.click({ user, view: form, actionId: 'form_more' });
      await expect.poll(() => stage().slack.textOf(form)).toContain('Folder patterns');
    },

    press: (user: User, message: Message, button: string) =>
      stage().slack.click({ user, message, element: stage().slack.button(message, button) }),

    /** Chooses an entry in the menu of an activity message, or of a list's first row, by the start of its act. */
    chooseInMenu(user: User, shown: Message | View, act: string) {
      const menus = findElements(shown.blocks).filter(({ actionId }) => actionId === 'menu');
      const [found] = menus.flatMap((menu) =>
        (menu.element.options as { value: string }[])
          .filter((option) => JSON.parse(option.value).act.startsWith(act))
          .map(({ value }) => ({ menu, value })),
      );
      if (!found) throw new Error(`no menu here offers ${act}`);
      const { menu, value } = found;
      const surface = 'text' in shown ? { message: shown } : { view: shown };
      return stage().slack.click({ user, ...surface, element: menu, value });
    },

    /** Returns the code on the last page of linking, which appears if the addresses on both sides differ. */
    codeOn: (page: string) => /\b[A-HJ-NP-Z2-9]{6}\b/.exec(page.replaceAll(/<[^>]*>/g, ' '))?.[0] ?? '',

    /**
     * Adds `count` file subscriptions to the channel without asking the service, so that its lists have pages. Their remote subscriptions
     * count as just being asked for, or the next check of the link would make them.
     */
    async followingMany(user: User, channel: Channel, count: number): Promise<void> {
      await stage()
        .database.connect()
        .pool.query(
          `with added as (
             insert into plancast.subscriptions (team_id, channel_id, owner_user_id, kind, parent_id, item_id, comprehensive,
               filters, delivery, threads, state, created_at, changed_at)
             select $1, $2, $3, 'file', '412-873-550', 'item-' || n, false, '{"only":[],"paths":[],"by":[],"notBy":[]}',
               '{"when":"live"}', false, 'active', now() + n * interval '1 ms', now()
             from generate_series(0, $4::int - 1) n returning id, team_id)
           insert into plancast.remotes (subscription_id, team_id, token_hash, callback_base, comprehensive, asked_at)
           select id, team_id, sha256(id::text::bytea), 'https://bot.example', false, 'infinity' from added`,
          [stage().teamId, channel.id, user.id, count],
        );
    },

    async query(text: string, values: readonly unknown[] = []) {
      return (
        await stage()
          .database.connect()
          .pool.query(text, [...values])
      ).rows;
    },
  };
}

/** Finds the menu of an activity message, or of a list's first row. */
export function menuOf({ blocks }: Message | View) {
  return findElements(blocks).find(({ actionId }) => actionId === 'menu');
}

/** Returns the value of a form field: what was entered, or else its initial value. */
export function held(view: View, actionId: string): unknown {
  const found = findElements(view.blocks).find((element) => element.actionId === actionId);
  return found && heldBy(found.element, stateValues(view)[found.blockId]?.[actionId] ?? {});
}
