import {
  mostProjects,
  type SettingsFaults,
  settingsChanges,
  settingsForm,
  settingsInWords,
  settingsSaved,
} from '../../messages/admin/settings.ts';
import type { Message } from '../../messages/text/message.ts';
import * as settings from '../../store/tables/settings.ts';
import type { Bot } from '../bot.ts';
import { inTransaction } from '../in-transaction.ts';
import { namesOf } from '../model/people.ts';
import type { Subscribers, WorkspaceSettings } from '../model/settings.ts';
import type { CommandContext } from './command-context.ts';
import { writeAudit } from './write-audit.ts';

/** What was entered in the form. `projects` is not parsed yet. */
export type TypedSettings = Omit<WorkspaceSettings, 'subscribers' | 'projects'> & {
  readonly subscribers: Subscribers['kind'];
  readonly userIds: readonly string[];
  readonly projects: string;
};

/** `/plancast settings`: shows a workspace's settings; admins get a form to change them. */
export async function showSettings(bot: Bot, context: CommandContext): Promise<void> {
  const admin = await bot.slack.isAdmin(context.person);
  const value = await settings.of(bot.db, context.person);
  const { channelId, responseUrl } = context;
  const form = settingsForm(value, JSON.stringify({ channelId, responseUrl }));
  if (admin && (await bot.slack.openForm(context, form)) !== null) return;
  await context.reply(await inWords(bot, context, value, admin));
}

async function inWords(
  { slack }: Bot,
  context: CommandContext,
  value: WorkspaceSettings,
  mayChange: boolean,
): Promise<Message> {
  const { subscribers } = value;
  const userIds = subscribers.kind === 'people' ? subscribers.userIds : [];
  const names = await namesOf(
    slack.profileOf,
    userIds.map((userId) => ({ ...context.person, userId })),
  );
  const people = [...names].map(([userId, name]) => ({ userId, name }));
  return settingsInWords({ settings: value, people, mayChange });
}

/** Reads what an admin entered in the form: the settings, or what is wrong with it. */
export function understandSettings(
  typed: TypedSettings,
): { readonly settings: WorkspaceSettings } | { readonly faults: SettingsFaults } {
  const read = readProjects(typed.projects);
  const faults: SettingsFaults = {
    ...(typed.subscribers === 'people' && typed.userIds.length === 0 ? { people: 'nobody' } : {}),
    ...(read.odd === null ? {} : { project: read.odd }),
    ...(read.ids.length > mostProjects ? { tooMany: true } : {}),
  };
  if (Object.keys(faults).length > 0) return { faults };
  const { userIds, ...chosen } = typed;
  const subscribers: Subscribers =
    typed.subscribers === 'people' ? { kind: 'people', userIds } : { kind: typed.subscribers };
  return { settings: { ...chosen, subscribers, projects: read.ids } };
}

/** Saves what an admin entered in the form. */
export async function saveSettings(
  bot: Bot,
  context: CommandContext,
  { settings: value }: { readonly settings: WorkspaceSettings },
): Promise<void> {
  const changes = settingsChanges(await settings.of(bot.db, context.person), value);
  await inTransaction(bot, async (bot) => {
    await settings.save(bot.db, context.person, value, bot.clock.now());
    await writeAudit(bot, { ...context, detail: { changes } }, 'change settings', context.person.teamId);
  });
  await context.reply(settingsSaved);
}

const nineDigits = /^(\d{3})[-\s\u2010-\u2015]?(\d{3})[-\s\u2010-\u2015]?(\d{3})$/u;

/** Parses project ids, one per line or separated by commas. `odd`: the first entry that is not an id. */
function readProjects(text: string): { readonly ids: readonly string[]; readonly odd: string | null } {
  const words = text
    .split(/[\n,;]/)
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const odd = words.find((word) => !nineDigits.test(word)) ?? null;
  return { ids: [...new Set(words.map((word) => word.replace(nineDigits, '$1-$2-$3')))], odd };
}
