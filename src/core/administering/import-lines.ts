import { hash } from 'node:crypto';
import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { parseJson } from '../../lib/text.ts';
import {
  type ImportStage,
  importable,
  importDone,
  importErrors,
  importFaults,
  importForm,
  importReady,
  lineFailed,
  oldFile,
} from '../../messages/admin/imports.ts';
import { writeAudit } from '../access/audit.ts';
import type { CommandContext } from '../access/command-context.ts';
import { atHome } from '../access/place.ts';
import { Refusal } from '../access/refusal.ts';
import { requireMayChange } from '../access/who-may.ts';
import type { Bot } from '../bot.ts';
import { refreshHome } from '../home/show-home.ts';
import { requireLink } from '../linking/link-commands.ts';
import { contextFields } from '../model/log-fields.ts';
import type { SubscribeRequest } from '../model/request.ts';
import { subscribe } from '../subscribing/subscribe.ts';
import { type ParseTyped, planImport } from './plan-import.ts';

const metadataSchema = z.object({
  channelId: z.string().nullable(),
  responseUrl: z.string().nullable(),
  /** The text that was checked and contains something to import, and the first line that there was no time for; null if there is none. */
  checked: z.object({ hash: z.string(), end: z.number().nullable() }).nullable().catch(null),
});
type ImportMetadata = z.infer<typeof metadataSchema>;

/** The result of submitting the form: errors of its fields, or the view to show while `work` runs. */
type ImportTaken =
  | { readonly errors: Readonly<Record<string, string>> }
  | { readonly view: ModalView | null; readonly work: () => Promise<void> };

/** `/plancast import`, and the button that opens the form. */
export async function showImport(bot: Bot, context: CommandContext): Promise<void> {
  await requireLink(bot, context, { act: 'import' });
  const { channelId, responseUrl } = context;
  const form = draw({ channelId, responseUrl, checked: null }, null);
  if ((await bot.slack.openForm(context, form)) === null) await context.reply(importReady);
}

/** Handles the submitted form: checks its text, or imports it if exactly this text was checked before. */
export async function submitImport(
  bot: Bot,
  context: CommandContext,
  sent: {
    readonly viewId: string;
    readonly metadata: string;
    readonly text: string;
    readonly parse: ParseTyped;
  },
): Promise<ImportTaken> {
  const { text, viewId, parse } = sent;
  const read = metadataSchema.safeParse(parseJson(sent.metadata));
  if (!read.success || text.trim() === '') return { errors: importErrors() };
  if (isOldFile(text)) return { errors: importErrors(oldFile) };
  const { checked, ...where } = read.data;
  const hashed = hash('sha256', text, 'base64url');
  if (checked?.hash === hashed)
    return { view: null, work: () => importText(bot, context, { text, parse, end: checked.end }) };
  return {
    view: draw({ ...where, checked: null }, 'checking'),
    work: async () => {
      const verdicts = await planImport(bot, context, { text, parse });
      const end = verdicts.find((each) => each.kind === 'refused' && each.fault === importFaults.tooMuch);
      const checked = importable(verdicts).length > 0 ? { hash: hashed, end: end?.line ?? null } : null;
      await bot.slack.updateForm(context, viewId, draw({ ...where, checked }, verdicts));
    },
  };
}

function draw(metadata: ImportMetadata, stage: ImportStage): ModalView {
  return importForm(stage, JSON.stringify(metadata));
}

/** Whether a text is the YAML that earlier releases exported. */
function isOldFile(text: string): boolean {
  return /^\s*(?:(?:team|channels):|-\s+subscribe:)/m.test(text);
}

async function importText(
  bot: Bot,
  context: CommandContext,
  text: Parameters<typeof planImport>[2],
): Promise<void> {
  const wanted = importable(await planImport(bot, context, text));
  const failed: { line: number; said: string }[] = [];
  for (const { line, ...asked } of wanted) {
    const said = await importLine(bot, context, asked);
    if (said !== null) failed.push({ line, said });
  }
  const done = wanted.length - failed.length;
  await writeAudit(bot, context, 'import subscriptions', String(done));
  await refreshHome(bot, context.person);
  await context.reply(importDone(done, failed));
}

/**
 * Carries out a line as if the person had typed it in the channel. Returns the text of the answer they would have read there, or null if
 * the announcement is all. Never throws: one bad line must not stop the others.
 */
async function importLine(
  bot: Bot,
  context: CommandContext,
  { channelId, request }: { readonly channelId: string; readonly request: SubscribeRequest },
): Promise<string | null> {
  const said: string[] = [];
  const reply: CommandContext['reply'] = async ({ text }) => void said.push(text);
  try {
    const there = await atHome(bot, { ...context.about(channelId), madeInChannel: false, reply });
    const settings = await requireMayChange(bot, there, request);
    // It asks no questions back: what the line says is taken as intended.
    await subscribe(bot, there, request, { shared: true, quiet: true, settings });
    return said[0] ?? null;
  } catch (error) {
    if (error instanceof Refusal) return error.answer.text;
    bot.log.error({ err: error, ...contextFields({ ...context, channelId }) }, 'a line was not imported');
    return lineFailed;
  }
}
