import { hash } from 'node:crypto';
import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { parseJson } from '../../lib/text.ts';
import {
  type ImportStage,
  type ImportVerdict,
  importable,
  importDone,
  importErrors,
  importFaults,
  importForm,
  importReady,
  lineFailed,
  oldFile,
} from '../../messages/admin/imports.ts';
import { reasonFor } from '../../messages/admin/requests.ts';
import { whyNotPinged } from '../../messages/subscribing/refusals.ts';
import type { Phrase } from '../../messages/text/phrase.ts';
import type { KnownName } from '../../store/tables/known-names.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { writeAudit } from '../access/audit.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { atHome } from '../access/place.ts';
import { Refusal } from '../access/refusal.ts';
import { requireMayChange, whyMayNotChange } from '../access/who-may.ts';
import type { Bot } from '../bot.ts';
import { refreshHome } from '../home/show-home.ts';
import { requireLink } from '../linking/link-commands.ts';
import { contextFields } from '../model/log-fields.ts';
import type { Parsed, SubscribeRequest } from '../model/request.ts';
import { isChannelId } from '../model/typed-text.ts';
import { type TargetedRequest, whyNotPingable } from '../subscribing/allowed-request.ts';
import { wouldChange } from '../subscribing/change-subscription.ts';
import { type KnownToReader, namesShownTo, sentNames } from '../subscribing/read-with-known.ts';
import { subscribe } from '../subscribing/subscribe.ts';

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
  if (oldFileForm.test(text)) return { errors: importErrors(oldFile) };
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

/** The YAML that earlier releases exported. */
const oldFileForm = /^\s*(?:(?:team|channels):|-\s+subscribe:)/m;

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

/** Carries out a line as if it were typed in its channel, and returns the answer, if any. Never throws: one bad line must not stop the others. */
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

/** Parses a command as people see it. `me`: the Slack user who asks; `names`: of what they may be shown. */
type ParseTyped = (line: string, readWith: Pick<KnownToReader, 'names'> & { readonly me: string }) => Parsed;

/** What a line asks for, or why it is refused before anything is looked up. */
type ReadLine = { readonly line: number } & (Refused | AskedLine);
type Refused = { readonly fault: Phrase };
/** The channel of the lines below it, or why there is none. */
type LinePlace = Refused | Pick<AskedLine, 'channelId'>;
type AskedLine = { readonly channelId: string; readonly request: TargetedRequest };

/** For how long a text may occupy the process while it is read, in milliseconds of processor time. */
const longestRead = 100;

/**
 * Returns what importing would do with each line of a text, in order. Changes nothing.
 * @param end the first line to leave out, null for none; where it is not known yet, reading ends when there is no more time
 */
async function planImport(
  bot: Bot,
  context: CommandContext,
  { text, parse, end }: { readonly text: string; readonly parse: ParseTyped; readonly end?: number | null },
): Promise<readonly ImportVerdict[]> {
  const names = await bot.slack.channelNamesOf(context.person);
  const shown = await namesShownTo(bot, { ...context, madeInChannel: false });
  const readWith = { me: context.person.userId, names: sentNames(shown) };
  const { usedMs } = bot.inProcess.processor;
  const from = usedMs();
  const hasTime = (line: number) =>
    end === undefined ? usedMs() - from < longestRead : end === null || line < end;
  const lines = [...readLines(text, names, (typed) => parse(typed, readWith), hasTime)];
  const firstLines = new Map<string, number>();
  const verdicts: ImportVerdict[] = [];
  for (const read of lines) {
    const { line } = read;
    if ('fault' in read) {
      verdicts.push({ line, kind: 'refused', fault: read.fault });
      continue;
    }
    const key = JSON.stringify([read.channelId, read.request.target]);
    const firstLine = firstLines.get(key) ?? line;
    firstLines.set(key, firstLine);
    const isTwice = firstLine < line;
    verdicts.push({
      line,
      ...(isTwice
        ? refused(importFaults.twice(firstLine))
        : await verdictOn(bot, context, read, nameIn(shown, read.request))),
    });
  }
  return verdicts;
}

/**
 * Reads each line by itself: a channel, or what is asked for in the channel above it.
 * @param names of the person's channels by id; null if Slack could not be asked
 * @param hasTime whether there is time for this line; reading ends at the first one without
 */
export function* readLines(
  text: string,
  names: ReadonlyMap<string, string> | null,
  parse: (line: string) => Parsed,
  hasTime = (_line: number) => true,
): Generator<ReadLine> {
  const placeIn = makePlaces(names);
  let place: LinePlace = { fault: importFaults.noChannel };
  for (const [index, source] of text.split(/\r\n|\r|\n/).entries()) {
    const [line, typed] = [index + 1, source.trim()];
    if (typed === '') continue;
    if (!hasTime(line)) return yield { line, fault: importFaults.tooMuch };
    const named = channelIn(typed);
    if (named === null) yield { line, ...askedIn(parse(typed), place) };
    else {
      place = placeIn(named);
      if ('fault' in place) yield { line, ...place };
    }
  }
}

/** Returns the name with its sign, or the id, in a line that is a channel; null for any other line. */
function channelIn(line: string): string | null {
  const id = /^<#([A-Z0-9]+)(?:\|[^>]*)?>$/.exec(line)?.[1] ?? line;
  return isChannelId(id) || /^#\S+$/.test(id) ? id : null;
}

/** Returns what finds a channel by its name or id. */
function makePlaces(names: ReadonlyMap<string, string> | null): (named: string) => LinePlace {
  if (names === null) return () => ({ fault: importFaults.channelsUnknown });
  const ids = Map.groupBy(names.keys(), (id) => `#${names.get(id)}`);
  for (const id of names.keys()) ids.set(id, [id]);
  return (named) => {
    const [channelId, ...others] = ids.get(named) ?? ids.get(named.toLowerCase()) ?? [];
    if (channelId === undefined) return { fault: importFaults.notInChannel(named) };
    return others.length === 0 ? { channelId } : { fault: importFaults.severalChannels(named) };
  };
}

function askedIn(parsed: Parsed, place: LinePlace): Refused | AskedLine {
  if (!parsed.ok) return { fault: importFaults.mistake(parsed.mistake) };
  const { request } = parsed;
  if (request.act !== 'subscribe') return { fault: importFaults.noSubscription };
  const { target } = request;
  if (target.kind === 'unknown') return { fault: importFaults.kindUnknown(target.id) };
  if (request.personal) return { fault: importFaults.personal };
  return 'fault' in place ? { fault: importFaults.noChannel } : { ...place, request: { ...request, target } };
}

/** Returns the name of what a line subscribes to: the one in the line, or else the known one of a project or session. */
function nameIn(shown: readonly KnownName[], { name, target }: TargetedRequest): string | null {
  const isIt = ({ kind, id }: KnownName) =>
    kind === target.kind && id === ('projectId' in target ? target.projectId : target.sessionId);
  return name ?? shown.find(isIt)?.name ?? null;
}

function refused(fault: Phrase) {
  return { kind: 'refused', fault } as const;
}

async function verdictOn(
  bot: Bot,
  context: CommandContext,
  { channelId, request }: AskedLine,
  name: string | null,
) {
  const there = await atHome(bot, context.about(channelId));
  const channel = channelOf(there);
  const postable = await bot.slack.recentlyMayPost(channel);
  // If Slack does not say, importing the line finds out.
  if (postable !== 'yes' && postable !== 'unknown') return refused(importFaults.cannotPost(channelId));
  const { why, settings } = await whyMayNotChange(bot, there, request);
  if (why !== null) return refused(reasonFor(why));
  const unpingable = await whyNotPingable(bot, there, request.ping);
  if (unpingable !== null) return refused(whyNotPinged(unpingable));
  const before = await subscriptions.ofTarget(bot.db, channel, request.target);
  if (before === null) {
    const isForbidden = settings.sharing === 'never' && (await bot.slack.isShared(channel).catch(() => true));
    return isForbidden
      ? refused(importFaults.sharedChannel)
      : ({ kind: 'add', channelId, request, name } as const);
  }
  const takesScope =
    before.comprehensive !== request.comprehensive && before.ownerUserId !== context.person.userId;
  if (takesScope) return refused(importFaults.anotherScope);
  const profile = await bot.slack.profileOf(context.person);
  const isChange = wouldChange({ request, profile, options: {} }, before);
  return { kind: isChange ? 'change' : 'same', channelId, request, name } as const;
}
