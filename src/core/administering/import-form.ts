import type { ModalView } from '@slack/types';
import { z } from 'zod';
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
import type { DirectMessages } from '../../store/tables/direct-messages.ts';
import type { StoredSettings } from '../../store/tables/settings.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import type { IsInChannel } from '../access/slack-facts.ts';
import type { RequireAdmin } from '../access/who-may.ts';
import type { WriteAudit } from '../access/write-audit.ts';
import type { LinkCommands } from '../linking/link-commands.ts';
import type { MayPost } from '../model/may-post.ts';
import type { Channel, SlackPerson } from '../model/people.ts';
import { type FileRow, ownDirectMessage } from '../model/subscription-file.ts';
import type { OpenForm, UpdateForm } from '../subscribing/show-form.ts';
import type { ImportRow } from './import-row.ts';
import { completed, type PlannedPlace, planImport } from './plan-import.ts';
import type { ReadWords } from './read-file.ts';
import type { VisibleChannels } from './visible-channels.ts';

export type ImportFormDeps = {
  readonly requireAdmin: RequireAdmin;
  readonly requireLink: LinkCommands['requireLink'];
  readonly openForm: OpenForm;
  readonly updateForm: UpdateForm;
  readonly readWords: ReadWords;
  readonly subscriptions: Pick<Subscriptions, 'ofTarget'>;
  readonly settings: Pick<StoredSettings, 'of'>;
  readonly directMessages: Pick<DirectMessages, 'of'>;
  readonly visibleChannels: VisibleChannels;
  readonly isInChannel: IsInChannel;
  /** From a cache that is half a minute old at most. */
  readonly recentlyMayPost: MayPost;
  /** Whether a channel has people from other organizations; throws if Slack does not say. */
  readonly isShared: (channel: Channel) => Promise<boolean>;
  readonly importRow: ImportRow;
  readonly audit: WriteAudit;
  readonly refreshHome: (person: SlackPerson) => Promise<void>;
  /** Returns a few characters that tell two texts apart. */
  readonly hash: (text: string) => string;
};

/** The result of submitting the form: errors of its fields, or the view to show while `work` runs. */
type ImportTaken =
  | { readonly errors: Readonly<Record<string, string>> }
  | { readonly view: ModalView | null; readonly work: () => Promise<void> };

/** Imports of more rows than this post a message when they start. */
const quietlyImported = 10;

const metadataSchema = z.object({
  channelId: z.string().nullable(),
  responseUrl: z.string().nullable(),
  fields: z.number().int().min(1).max(importFields.length).catch(1),
  /** Hash of the text that was checked and contains something to import; null if there is none. */
  checked: z.string().nullable().catch(null),
});

/** Imports subscriptions into the workspace, with the admin as their owner. */
export function makeImportForm(deps: ImportFormDeps) {
  async function plan({ person }: CommandContext, text: string) {
    const { ids } = await deps.visibleChannels(person);
    const found = new Map<string, Promise<PlannedPlace>>();
    const place = (row: FileRow): Promise<PlannedPlace> => {
      const { teamId, channelId } = row;
      if (teamId !== null && teamId !== person.teamId) {
        return Promise.resolve({ fault: { kind: 'other workspace', teamId } });
      }
      const known = found.get(channelId) ?? placeIn(person, channelId, ids);
      found.set(channelId, known);
      return known;
    };
    const { readFile } = await import('./read-file.ts');
    return planImport(readFile(text, deps.readWords), {
      subscriptions: deps.subscriptions,
      settingsOf: deps.settings.of,
      place,
    });
  }

  async function placeIn(
    person: SlackPerson,
    channelId: string,
    visible: ReadonlySet<string>,
  ): Promise<PlannedPlace> {
    if (channelId === ownDirectMessage) {
      const own = await deps.directMessages.of(person);
      return { owner: person, channel: own === null ? null : { ...person, channelId: own } };
    }
    const isThere = visible.has(channelId) || (await deps.isInChannel(person, channelId)) === 'yes';
    if (!isThere) return { fault: { kind: 'not in channel', channelId } };
    const channel = channelOf({ person, channelId });
    const postable = await deps.recentlyMayPost(channel);
    // If Slack does not say, importing the row finds out.
    if (postable !== 'yes' && postable !== 'unknown') return { fault: { kind: 'cannot post', channelId } };
    const { sharing } = await deps.settings.of(person);
    const isForbidden = sharing === 'never' && (await deps.isShared(channel).catch(() => true));
    return isForbidden ? { fault: { kind: 'shared channel' } } : { owner: person, channel };
  }

  async function run(context: CommandContext, text: string): Promise<void> {
    const { verdicts } = await plan(context, text);
    const rows = verdicts.flatMap((each) =>
      each.kind === 'add' || each.kind === 'change' ? [each.row] : [],
    );
    if (rows.length > quietlyImported) await context.reply(importBegun(rows.length));
    const failed: { line: number; said: string }[] = [];
    for (const row of rows) {
      const request = { ...completed(row), target: row.request.target };
      // The plan has already checked that the admin can import there.
      const said = await deps.importRow(context, { ...row, request }, async () => undefined);
      if (said !== null) failed.push({ line: row.line, said });
    }
    await deps.audit(context, 'import subscriptions', String(rows.length - failed.length));
    await deps.refreshHome(context.person);
    await context.reply(importDone(rows.length - failed.length, failed));
  }

  function draw(metadata: z.infer<typeof metadataSchema>, stage: ImportStage): ModalView {
    return importForm({ stage, fields: metadata.fields, metadata: JSON.stringify(metadata) });
  }

  return {
    /** `/plancast import`, and the button that opens the form. */
    async show(context: CommandContext): Promise<void> {
      await deps.requireAdmin(context);
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
      await deps.requireAdmin(context);
      const metadata = { ...read.data, checked: null };
      const hash = deps.hash(text);
      if (read.data.checked === hash) return { view: null, work: () => run(context, text) };
      return {
        view: draw(metadata, { kind: 'checking' }),
        work: async () => {
          const { verdicts } = await plan(context, text);
          const checked = importable(verdicts) > 0 ? hash : null;
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
