import {
  mostProjects,
  type SettingsFaults,
  settingsChanges,
  settingsForm,
  settingsInWords,
  settingsSaved,
} from '../../messages/admin/settings.ts';
import type { Message } from '../../messages/text/message.ts';
import { namesOf } from '../model/names-of.ts';
import type { Subscribers, WorkspaceSettings } from '../model/settings.ts';
import type { AccessRoomDeps } from './access-deps.ts';
import type { CommandContext } from './command-context.ts';
import type { RequireAdmin } from './who-may.ts';

/** What was entered in the form. `projects` is not parsed yet. */
export type TypedSettings = Omit<WorkspaceSettings, 'subscribers' | 'projects'> & {
  readonly subscribers: Subscribers['kind'];
  readonly userIds: readonly string[];
  readonly projects: string;
};

type ChangeSettingsDeps = AccessRoomDeps & {
  readonly requireAdmin: RequireAdmin;
};

/** Shows a workspace's settings; admins get a form to change them. */
export function makeChangeSettings(deps: ChangeSettingsDeps) {
  const { settings, profileOf } = deps;

  async function inWords(
    context: CommandContext,
    value: WorkspaceSettings,
    mayChange: boolean,
  ): Promise<Message> {
    const { subscribers } = value;
    const userIds = subscribers.kind === 'people' ? subscribers.userIds : [];
    const names = await namesOf(
      profileOf,
      userIds.map((userId) => ({ ...context.person, userId })),
    );
    const people = [...names].map(([userId, name]) => ({ userId, name }));
    return settingsInWords({ settings: value, people, mayChange });
  }

  return {
    /** `/plancast settings`. */
    async show(context: CommandContext): Promise<void> {
      const admin = await deps.isAdmin(context.person);
      const value = await settings.of(context.person);
      const { channelId, responseUrl } = context;
      const metadata = JSON.stringify({ channelId, responseUrl });
      const form = settingsForm(value, metadata);
      if (admin && (await deps.openForm(context, form)) !== null) return;
      await context.reply(await inWords(context, value, admin));
    },

    /** Saves what an admin entered in the form. Returns what is wrong with it, or null. */
    async change(context: CommandContext, typed: TypedSettings): Promise<SettingsFaults | null> {
      await deps.requireAdmin(context);
      const read = readProjects(typed.projects);
      const faults: SettingsFaults = {
        ...(typed.subscribers === 'people' && typed.userIds.length === 0 ? { people: 'nobody' } : {}),
        ...(read.odd === null ? {} : { project: read.odd }),
        ...(read.ids.length > mostProjects ? { tooMany: true } : {}),
      };
      if (Object.keys(faults).length > 0) return faults;
      const { userIds, ...chosen } = typed;
      const subscribers: Subscribers =
        typed.subscribers === 'people' ? { kind: 'people', userIds } : { kind: typed.subscribers };
      const value = { ...chosen, subscribers, projects: read.ids };
      const changes = settingsChanges(await settings.of(context.person), value);
      await deps.inTransaction(async ({ settings, audit }) => {
        await settings.save(context.person, value, deps.clock.now());
        await audit({ ...context, detail: { changes } }, 'change settings', context.person.teamId);
      });
      await context.reply(settingsSaved);
      return null;
    },
  };
}

export type ChangeSettings = ReturnType<typeof makeChangeSettings>;

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
