import type { PlainTextOption } from '@slack/types';
import { within } from '../../lib/durations.ts';
import { personOption } from '../../messages/subscribing/form-fields.ts';
import { type Recognized, searchOption, targetOption } from '../../messages/subscribing/subscribe-form.ts';
import { limits } from '../../messages/text/limits.ts';
import type { KnownName } from '../../store/tables/known-names.ts';
import type { CommandContext } from '../access/command-context.ts';
import { keepRequest, readRequest } from '../access/kept-requests.ts';
import type { Bot } from '../bot.ts';
import { formatRequest, hasContents } from '../model/format-request.ts';
import type { SlackPerson } from '../model/people.ts';
import type { Followed, Parsed, SubscribeRequest } from '../model/request.ts';
import { targetsOf } from '../model/service-urls.ts';
import type { PersonName } from '../model/subscription.ts';
import { subscribeTo } from '../model/typed-settings.ts';
import { isEmail, spelling } from '../model/typed-text.ts';
import { foldersNamed, readerIn } from './known-folders.ts';
import {
  followedOf,
  type KnownToReader,
  longWords,
  nameAlone,
  nameOf,
  namesShownTo,
  readWithKnown,
  sentNames,
} from './read-with-known.ts';

/** Parses what was typed in the form's first field, with these names. */
export type ReadTyped = (text: string, known: KnownToReader) => Parsed;

/** Slack waits three seconds for options, and a person one: what Slack itself has not said by then is done without. */
const lookUpMs = 400;

/** In the value of the option that looks up what was typed. */
const searched = '?';

/**
 * Returns the options for what a person has typed in the form's first field: first that itself, since text that is not chosen is lost, then
 * the names that they may be shown. What Slack does not say in time is not offered.
 */
export async function offerTargets(
  bot: Bot,
  context: CommandContext,
  typed: string,
  read: ReadTyped,
): Promise<PlainTextOption[]> {
  const text = typed.trim();
  // Whether the person is still in the channel in which they opened the form would take a look-up.
  const reader = { ...context, madeInChannel: false };
  const isMember = await isMemberInTime(bot.slack, reader.person);
  const found = isMember ? await namesShownTo(bot, reader, lookUpMs) : [];
  const words = found.length === 0 ? [] : longWords(text);
  const folders = await within(lookUpMs, foldersNamed(bot, reader, words)).catch(() => []);
  const known = [...found, ...folders];
  const names = sentNames(found);
  const parsed = await within(
    lookUpMs,
    readWithKnown(bot, reader, (known) => read(text, known), { found, folders }),
  ).catch(() => read(text, { names }));
  const { sure, perhaps } = requestsIn(parsed);
  const wanted = ` ${spelling(text)}`;
  const fitting = known.filter((one) => nameAlone(one).includes(wanted));
  const offered = [
    ...sure.flatMap(withKind),
    ...perhaps,
    ...fitting.map((one) => plainRequest(followedOf(one))),
  ];
  const options = new Map<string, PlainTextOption>();
  if (sure.length === 0 && text !== '') {
    const value = searched + text.slice(0, limits.optionValue - 1).toWellFormed();
    options.set(value, searchOption(text, value));
  }
  for (const request of offered) {
    const offer = await optionFor(bot, request, recognized(request.target, known).name);
    options.set(offer.value ?? '', offer);
  }
  return [...options.values()].slice(0, limits.options);
}

/** What was chosen in the form's first field; `names`: those that fit if they are several, none if nothing does. */
type Chosen =
  | { readonly request: SubscribeRequest }
  | { readonly text: string; readonly names: readonly string[]; readonly mistake: Parsed };

/** Reads the value of the option that was chosen, and looks up what it searches for. */
export async function readChosen(
  bot: Bot,
  context: CommandContext,
  value: string,
  read: ReadTyped,
): Promise<Chosen> {
  const kept = await readRequest(bot, value);
  if (kept?.act === 'subscribe') return { request: kept };
  const text = value.startsWith(searched) ? value.slice(searched.length) : value;
  const parsed = await readWithKnown(bot, await readerIn(bot, context), (known) => read(text, known));
  const { sure, perhaps } = requestsIn(parsed);
  const [request, other] = sure.length > 0 ? sure : perhaps;
  if (request && !other) return { request };
  const names = parsed.ok ? [] : parsed.mistake.choices.map(({ words }) => words);
  return { text, names: other ? names : [], mistake: parsed };
}

/** Returns whether Slack says in time that a person is a full member. */
async function isMemberInTime(slack: Bot['slack'], person: SlackPerson): Promise<boolean> {
  const profile = await within(lookUpMs, slack.profileOf(person)).catch(() => null);
  return profile?.standing === 'member';
}

/** Returns what a line was understood to ask for, and what it may mean otherwise. What is wrong in it must be typed anew. */
function requestsIn(parsed: Parsed): Record<'sure' | 'perhaps', readonly SubscribeRequest[]> {
  const { understood, choices, faults } = parsed.ok
    ? { understood: parsed.request, choices: [], faults: [] }
    : parsed.mistake;
  const some = [understood, ...choices.map(({ request }) => request)].flatMap((request) =>
    request?.act === 'subscribe' && faults.length === 0 ? request : [],
  );
  const isSure = parsed.ok || understood?.act === 'subscribe' || parsed.mistake.leftOut === '';
  return isSure ? { sure: some, perhaps: [] } : { sure: [], perhaps: some };
}

/** Returns a request for each thing that an id without a kind can stand for. */
function withKind(request: SubscribeRequest): readonly SubscribeRequest[] {
  const { target } = request;
  return target.kind === 'unknown'
    ? targetsOf(target).map((one) => ({ ...request, target: one }))
    : [request];
}

/** Returns the request to follow something, with all that is in it. */
export function plainRequest(target: Followed): SubscribeRequest {
  return subscribeTo({ target, comprehensive: hasContents(target) });
}

/** Makes the option for a request. Its value is its line, which is read again, or the key of a record for a longer one. */
export async function optionFor(
  bot: Bot,
  request: SubscribeRequest,
  name: string | null,
): Promise<PlainTextOption> {
  const line = formatRequest(request).slice('subscribe '.length);
  const value = line.length <= limits.optionValue ? line : await keepRequest(bot, request, { longest: 0 });
  return targetOption({ target: request.target, name }, value);
}

/** Returns what is followed with the name among these, if there is one. */
export function recognized(target: Followed, found: readonly KnownName[]): Recognized {
  return { target, name: nameOf(target, found) };
}

/** Returns the options for what was typed in the form's field for people: an email address as it is, then people of the workspace by name. */
export async function offerPeople(
  { slack }: Bot,
  { person }: CommandContext,
  typed: string,
): Promise<PlainTextOption[]> {
  const email = typed.trim().toLowerCase();
  const isTyped = isEmail(email) && email.length <= limits.optionValue;
  const asTyped: PersonName[] = isTyped ? [{ email }] : [];
  const people = (await isMemberInTime(slack, person)) ? await slack.peopleIn(person, lookUpMs) : [];
  const names = new Map(people.map(({ userId, name }) => [userId, name]));
  const wanted = ` ${spelling(typed)}`;
  const fitting = people
    .filter(({ name }) => ` ${spelling(name)}`.includes(wanted))
    .toSorted((one, other) => one.name.localeCompare(other.name));
  return [...asTyped, ...fitting].slice(0, limits.options).map((who) => personOption(who, names));
}
