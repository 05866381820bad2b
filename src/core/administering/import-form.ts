import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { minuteMs } from '../../lib/durations.ts';
import { parseJson } from '../../lib/parse-json.ts';
import {
  type ImportStage,
  importable,
  importBegun,
  importDone,
  importErrors,
  importFields,
  importForm,
  importReady,
} from '../../messages/admin/imports.ts';
import { tooManyTries } from '../../messages/subscribing/refusals.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { homeOf } from '../access/home-workspace.ts';
import { requireAdmin, requireMayChange } from '../access/who-may.ts';
import type { SlackPerson } from '../model/people.ts';
import type { WorkspaceSettings } from '../model/settings.ts';
import { type FileRow, ownDirectMessage } from '../model/subscription-file.ts';
import { refreshHome } from '../subscribing/show-home.ts';
import type { AdministeringRoomDeps } from './administering-deps.ts';
import type { ImportRow } from './import-row.ts';
import { completed, type PlannedPlace, planImport } from './plan-import.ts';
import { readFile } from './read-file.ts';
import { visibleChannels } from './visible-channels.ts';

type ImportFormDeps = AdministeringRoomDeps & { readonly importRow: ImportRow };

/** The result of submitting the form: errors of its fields, or the view to show while `work` runs. */
type ImportTaken =
  | { readonly errors: Readonly<Record<string, string>> }
  | { readonly view: ModalView | null; readonly work: () => Promise<void> };

/** Imports of more rows than this post a message when they start. */
const quietlyImported = 10;
/** For how long the text of a form may occupy the process, in milliseconds of processor time. */
const longestRead = 100;
/** The most texts that are checked for a workspace. */
const checks = { most: 3, withinMs: minuteMs };

const metadataSchema = z.object({
  channelId: z.string().nullable(),
  responseUrl: z.string().nullable(),
  fields: z.number().int().min(1).max(importFields.length).catch(1),
  /** The text that was checked and contains something to import, and the first line that there was no time for; null if there is none. */
  checked: z.object({ hash: z.string(), end: z.number().nullable() }).nullable().catch(null),
});

/** Imports subscriptions into the workspace, with the admin as their owner. */
export function makeImportForm(deps: ImportFormDeps) {
  /** @param end the first line to leave out, null for none; if the text was not checked yet, there is a limit on its time */
  async function plan({ person }: CommandContext, text: string, end?: number | null) {
    const [{ ids }, settings] = await Promise.all([
      visibleChannels(deps.bot, person),
      deps.settings.of(person),
    ]);
    const found = new Map<string, Promise<PlannedPlace>>();
    const place = (row: FileRow): Promise<PlannedPlace> => {
      const { teamId, channelId } = row;
      if (teamId !== null && teamId !== person.teamId) {
        return Promise.resolve({ fault: { kind: 'other workspace', teamId } });
      }
      const known = found.get(channelId) ?? placeIn(person, channelId, { ids, settings });
      found.set(channelId, known);
      return known;
    };
    const from = deps.processorMs();
    const hasTime = (line: number) =>
      end === undefined ? deps.processorMs() - from < longestRead : end === null || line < end;
    const { verdicts } = await planImport(readFile(text, deps.readWords, hasTime), {
      subscriptions: deps.subscriptions,
      settingsOf: async () => settings,
      place,
    });
    return { verdicts, settings };
  }

  async function placeIn(
    person: SlackPerson,
    channelId: string,
    { ids, settings }: { readonly ids: ReadonlySet<string>; readonly settings: WorkspaceSettings },
  ): Promise<PlannedPlace> {
    if (channelId === ownDirectMessage) {
      const own = await deps.directMessages.of(person);
      return { owner: person, channel: own === null ? null : { ...person, channelId: own } };
    }
    const isThere = ids.has(channelId) || (await deps.isInChannel(person, channelId)) === 'yes';
    if (!isThere) return { fault: { kind: 'not in channel', channelId } };
    const channel = await homeOf(deps.bot, channelOf({ person, channelId }));
    const postable = await deps.recentlyMayPost(channel);
    // If Slack does not say, importing the row finds out.
    if (postable !== 'yes' && postable !== 'unknown') return { fault: { kind: 'cannot post', channelId } };
    const isForbidden = settings.sharing === 'never' && (await deps.isShared(channel).catch(() => true));
    return isForbidden ? { fault: { kind: 'shared channel' } } : { owner: person, channel };
  }

  async function run(context: CommandContext, text: string, end: number | null): Promise<void> {
    const { verdicts, settings } = await plan(context, text, end);
    const rows = verdicts.flatMap((each) =>
      each.kind === 'add' || each.kind === 'change' ? [each.row] : [],
    );
    if (rows.length > quietlyImported) await context.reply(importBegun(rows.length));
    const failed: { line: number; said: string }[] = [];
    for (const row of rows) {
      const request = { ...completed(row), target: row.request.target };
      const failure = await deps.importRow(context, { ...row, request }, async (there, wanted) =>
        // The plan has already checked that the admin can import there, unless the channel belongs to another workspace of their organization.
        there.person.teamId === context.person.teamId ? settings : requireMayChange(deps.bot, there, wanted),
      );
      if (failure !== null) failed.push({ line: row.line, said: failure.said });
    }
    await deps.audit(context, 'import subscriptions', String(rows.length - failed.length));
    await refreshHome(deps.bot, context.person);
    await context.reply(importDone(rows.length - failed.length, failed));
  }

  function draw(metadata: z.infer<typeof metadataSchema>, stage: ImportStage): ModalView {
    return importForm({ stage, fields: metadata.fields, metadata: JSON.stringify(metadata) });
  }

  return {
    /** `/plancast import`, and the button that opens the form. */
    async show(context: CommandContext): Promise<void> {
      await requireAdmin(deps.bot, context);
      await deps.requireLink(context, { act: 'import' });
      const { channelId, responseUrl } = context;
      const metadata = { channelId, responseUrl, fields: 1, checked: null };
      if ((await deps.openForm(context, draw(metadata, { kind: 'empty' }))) === null)
        await context.reply(importReady);
    },

    /** Adds a field. The text has to be checked again, because the person will add to it. */
    async addField(
      context: CommandContext,
      view: { readonly id: string; readonly metadata: string },
    ): Promise<void> {
      const read = metadataSchema.safeParse(parseJson(view.metadata));
      if (!read.success) return;
      const fields = Math.min(read.data.fields + 1, importFields.length);
      await deps.updateForm(
        context,
        view.id,
        draw({ ...read.data, fields, checked: null }, { kind: 'empty' }),
      );
    },

    /** Handles the submitted form: checks its text, or imports it if exactly this text was checked before. */
    async submit(
      context: CommandContext,
      sent: { readonly viewId: string; readonly metadata: string; readonly text: string },
    ): Promise<ImportTaken> {
      const read = metadataSchema.safeParse(parseJson(sent.metadata));
      const { text, viewId } = sent;
      if (!read.success || text.trim() === '') return { errors: importErrors() };
      await requireAdmin(deps.bot, context);
      const metadata = { ...read.data, checked: null };
      const hash = deps.hash(text);
      const { checked } = read.data;
      if (checked?.hash === hash) return { view: null, work: () => run(context, text, checked.end) };
      const counted = { teamId: context.person.teamId, userId: 'import' };
      const allowance = await deps.commandTries.take(counted, checks, deps.clock.now());
      if (!allowance.allowed) return { errors: importErrors(tooManyTries(allowance.retryInSeconds)) };
      return {
        view: draw(metadata, { kind: 'checking' }),
        work: async () => {
          const { verdicts } = await plan(context, text);
          const [end = null] = verdicts.flatMap((each) =>
            each.kind === 'refused' && each.fault.kind === 'too much' ? each.fault.line : [],
          );
          const checked = importable(verdicts) > 0 ? { hash, end } : null;
          await deps.updateForm(
            context,
            viewId,
            draw({ ...metadata, checked }, { kind: 'checked', verdicts }),
          );
        },
      };
    },
  };
}

export type ImportForm = ReturnType<typeof makeImportForm>;
