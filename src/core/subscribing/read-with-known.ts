import { within } from '../../lib/durations.ts';
import { partlyUnderstood } from '../../messages/subscribing/questions.ts';
import * as knownNames from '../../store/tables/known-names.ts';
import type { CommandContext } from '../access/command-context.ts';
import { keepAnswer, keepRequest } from '../access/kept-requests.ts';
import { withMentionsNamed } from '../access/people-names.ts';
import type { Bot } from '../bot.ts';
import type { Act, RequestOf } from '../model/any-request.ts';
import { followedWords, typedLine } from '../model/format-request.ts';
import type { Choice, Followed, Mistake, Parsed, Request } from '../model/request.ts';
import type { Target } from '../model/subscription.ts';
import { spelling } from '../model/typed-text.ts';
import { channelsOf, foldersNamed, knownPlaces, type Reader, seenOf } from './known-folders.ts';

/** What the person who typed a line may know of, as far as the line is about it. */
export type KnownToReader = {
  /** How the folders and items of the line's project are typed, as `spelling` returns them. */
  readonly places?: ReadonlySet<string>;
  /** What each name is that the service has sent, as `spelling` returns it. */
  readonly names?: ReadonlyMap<string, readonly Followed[]>;
  /** What the line is about if it names nothing itself. */
  readonly assumed?: Followed;
};

type Read = (known: KnownToReader) => Parsed;
/** The most names that are offered for a part of one. */
const mostOffered = 10;
/** A shorter word is in too many names; but in scripts without upper and lower case, as in 東京, fewer characters say more. */
const shortestWord = { usual: 3, uncased: 2 };

/** The acts of a line that names nothing known yet. */
const namesNothing: readonly Act[] = ['unsubscribe-list', 'help'];

/**
 * Reads a line, and again with the names that its person may be shown, if that can say more: where something was left out, or nothing was
 * named. A name that they may not be shown makes no difference, so that it is answered like one that does not exist.
 * @param known the names of projects and sessions, and of folders, that the person may be shown, if they were looked up
 */
export async function readWithKnown(
  bot: Bot,
  reader: Reader,
  read: Read,
  known?: Readonly<Record<'found' | 'folders', readonly knownNames.KnownName[]>>,
): Promise<Parsed> {
  const first = read({});
  if (first.ok && !namesNothing.includes(first.request.act)) return withPlaces(bot, reader, first, read);
  const found = known?.found ?? (await namesShownTo(bot, reader));
  const names = sentNames(found);
  const parsed = await withPlaces(bot, reader, read({ names }), (known) => read({ names, ...known }));
  if (parsed.ok || parsed.mistake.lacks !== 'target') return parsed;
  const { leftOut } = parsed.mistake;
  const folders = known?.folders ?? (await foldersNamed(bot, reader, longWords(leftOut)));
  const choices = fitting([...found, ...folders], leftOut).flatMap((one) => offerOf(one, read));
  return choices.length === 0 ? parsed : { ok: false, mistake: { ...parsed.mistake, choices, lacks: null } };
}

/** Returns the projects and sessions that a person may be shown; `withinMs`: without what Slack takes longer than that to say. */
export async function namesShownTo(
  { db, slack }: Bot,
  reader: Reader,
  withinMs?: number,
): Promise<readonly knownNames.KnownName[]> {
  const asked = slack.channelsOf(reader.person);
  const memberOf = await (withinMs === undefined ? asked : within(withinMs, asked).catch(() => null));
  return knownNames.shownTo(db, reader.person, channelsOf(reader, memberOf));
}

/** Returns projects and sessions by the names that the service has sent, as `spelling` has them; also without commas, which end unquoted words. */
export function sentNames(found: readonly knownNames.KnownName[]): ReadonlyMap<string, readonly Followed[]> {
  const sent = found.filter(({ isSent }) => isSent);
  const byName = (nameAs: (name: string) => string) =>
    Map.groupBy(sent, ({ name }) => spelling(nameAs(name)));
  const all = [...byName((name) => name.replace(/,(?=\s)/g, '')), ...byName((name) => name)];
  return new Map(all.map(([name, named]) => [name, named.map(followedOf)]));
}

/** Returns what has a name, to be followed. */
export function followedOf({ kind, id, projectId = '' }: knownNames.KnownName): Followed {
  if (kind === 'folder') return { kind, projectId, itemId: id };
  return kind === 'project' ? { kind, projectId: id } : { kind, sessionId: id };
}

/** Returns the name of what is followed, if it is among these. */
export function nameOf(target: Followed, found: readonly knownNames.KnownName[]): string | null {
  const words = followedWords(target);
  return found.find((one) => followedWords(followedOf(one)) === words)?.name ?? null;
}

/** Reads a line with the folders and items of its project, if it names any: without quotes, several words may be one name. */
async function withPlaces(bot: Bot, reader: Reader, parsed: Parsed, read: Read): Promise<Parsed> {
  const { understood, faults } = parsed.ok ? { understood: parsed.request, faults: [] } : parsed.mistake;
  if (understood?.act !== 'subscribe') return parsed;
  const { target, filters } = understood;
  const projectId = 'projectId' in target ? target.projectId : target.kind === 'unknown' ? target.id : null;
  const isAboutPlaces = filters.paths !== undefined || faults.some(({ option }) => option === 'in');
  if (projectId === null || !isAboutPlaces) return parsed;
  // Without them, the line still says something.
  const seen = await seenOf(bot, reader, projectId).catch((error: unknown) => {
    const where = { team: reader.person.teamId, channel: reader.channelId };
    bot.log.warn({ err: error, ...where }, 'could not look up the folders of a project');
    return [];
  });
  return read({ places: knownPlaces(seen) });
}

/** Returns the names that are what was left out, or else have most of its words in them, at the beginning of a word; none if no word is in any. */
function fitting(found: readonly knownNames.KnownName[], leftOut: string): readonly knownNames.KnownName[] {
  const [words, whole] = [longWords(leftOut), spelling(leftOut)];
  const counted = found.map((one) => {
    const name = nameAlone(one);
    const count = words.filter((word) => name.includes(` ${word}`)).length;
    return { one, count: name === ` ${whole}` ? Number.POSITIVE_INFINITY : count };
  });
  const most = Math.max(1, ...counted.map(({ count }) => count));
  return counted.flatMap(({ one, count }) => (count === most ? one : [])).slice(0, mostOffered);
}

/** Returns the words of a text that can be looked for in names. */
export function longWords(text: string): readonly string[] {
  return spelling(text)
    .split(' ')
    .filter((word) => word.length >= (/\p{Lo}/u.test(word) ? shortestWord.uncased : shortestWord.usual));
}

/** Returns how a name is spelled, of a folder only its own, with a space before each word. */
export function nameAlone({ kind, name }: knownNames.KnownName): string {
  const spelled = spelling(name);
  return ` ${kind === 'folder' ? spelled.slice(spelled.lastIndexOf('/') + 1) : spelled}`;
}

/** Returns the line as it would be for a name; none if something else in it is wrong. */
function offerOf(one: knownNames.KnownName, read: Read): readonly Choice[] {
  const parsed = read({ assumed: followedOf(one) });
  if (parsed.ok) return [{ words: one.name, request: parsed.request }];
  const { understood, faults } = parsed.mistake;
  return understood === null || faults.length > 0 ? [] : [{ words: one.name, request: understood }];
}

/** Answers a line that does not run at once, in private: nothing of it is done before the person presses a button. */
export async function answerMistake(bot: Bot, context: CommandContext, mistake: Mistake): Promise<void> {
  const { understood, leftOut, faults, choices, lacks } = mistake;
  const named = (text: string) => withMentionsNamed(bot, context.person, text);
  const offer = async (request: Request) => ({
    line: await named(typedLine(request, context.copy.commands)),
    value: await keepAnswer(bot, request),
  });
  const asked = understood && (await offer(understood));
  const isOfTarget = ({ words, request }: Choice) =>
    'target' in request && words === followedWords(request.target);
  const isNamed = (understood && 'target' in understood) || choices.some(isOfTarget);
  const found = isNamed ? await namesShownTo(bot, context) : [];
  const nameIn = (request: Request) => ('target' in request ? nameOf(request.target, found) : null);
  const labels = choices.map((one) => (isOfTarget(one) && nameIn(one.request)) || one.words);
  const form =
    understood?.act === 'subscribe'
      ? await keepRequest(bot, { act: 'fill-form', request: understood })
      : null;
  await context.reply(
    partlyUnderstood({
      understood: asked && { ...asked, name: understood && nameIn(understood), form },
      leftOut: await named(leftOut),
      faults: await Promise.all(
        faults.map(async (fault) => ({ ...fault, value: fault.value && (await named(fault.value)) })),
      ),
      choices: await Promise.all(
        choices.map(async ({ words, request }, at) => {
          const label = labels[at] ?? words;
          // Two projects can have one name.
          const isOne = labels.indexOf(label) === labels.lastIndexOf(label);
          return { ...(await offer(request)), label: isOne ? label : words };
        }),
      ),
      lacks,
    }),
  );
}

/** Asks which of the things that a typed id can be of is meant. */
export function askWhatKind(
  bot: Bot,
  context: CommandContext,
  request: RequestOf<'subscribe' | 'unsubscribe'>,
  targets: readonly Target[],
): Promise<void> {
  const choices = targets.map((target) => ({ words: `A ${target.kind}`, request: { ...request, target } }));
  return answerMistake(bot, context, { understood: null, leftOut: '', faults: [], choices, lacks: null });
}
