import {
  settingsChanges,
  settingsForm,
  settingsInWords,
  settingsSaved,
} from '../../messages/admin/settings.ts';
import * as settings from '../../store/tables/settings.ts';
import { type Bot, inTransaction } from '../bot.ts';
import type { WorkspaceSettings } from '../model/settings.ts';
import { writeAudit } from './audit.ts';
import type { CommandContext } from './command-context.ts';
import { namesOf } from './people-names.ts';

/** `/plancast settings`: shows a workspace's settings; admins get a form to change them. */
export async function showSettings(bot: Bot, context: CommandContext): Promise<void> {
  const admin = await bot.slack.isAdmin(context.person);
  const value = await settings.of(bot.db, context.person);
  const { channelId, responseUrl } = context;
  const form = settingsForm(value, JSON.stringify({ channelId, responseUrl }));
  if (admin && (await bot.slack.openForm(context, form)) !== null) return;
  const { subscribers } = value;
  const names = await namesOf(bot, context.person, subscribers.kind === 'people' ? subscribers.userIds : []);
  const people = [...names].map(([userId, name]) => ({ userId, name }));
  await context.reply(settingsInWords(value, people, admin));
}

/** Saves what an admin entered in the form. */
export async function saveSettings(
  bot: Bot,
  context: CommandContext,
  { settings: value }: { readonly settings: WorkspaceSettings },
): Promise<void> {
  const changes = settingsChanges(await settings.of(bot.db, context.person), value);
  await inTransaction(bot, async (bot) => {
    await settings.save(bot.db, context.person, value);
    await writeAudit(bot, { ...context, detail: { changes } }, 'change settings', context.person.teamId);
  });
  await context.reply(settingsSaved);
}
