import { minuteMs } from '../../lib/durations.ts';
import {
  type CodeFault,
  codeNotTaken,
  linkCodeModal,
  linked,
  linkOffer,
  linkStatus,
} from '../../messages/linking/linking.ts';
import { tooManyTries } from '../../messages/subscribing/refusals.ts';
import type { Message } from '../../messages/text/message.ts';
import { makeSealedRecords } from '../../store/tables/keyv-records.ts';
import * as links from '../../store/tables/links.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { CommandContext } from '../access/command-context.ts';
import { withMentionsNamed } from '../access/people-names.ts';
import { Refusal } from '../access/refusal.ts';
import type { Bot } from '../bot.ts';
import { typedLine } from '../model/format-request.ts';
import type { Link } from '../model/link.ts';
import type { SlackPerson } from '../model/people.ts';
import type { Request } from '../model/request.ts';
import { enterCode } from './prove-person.ts';
import { type StartedLink, startLink } from './tickets.ts';

/** Returns the person's link. If it does not work, throws a `Refusal` that offers a new one and carries the request. */
export async function requireLink(bot: Bot, context: CommandContext, request: Request): Promise<Link> {
  const found = await links.of(bot.db, context.person);
  if (found?.state === 'active') return found;
  throw new Refusal(context, await offer(bot, context, request, found ? 'again' : 'needed'));
}

/** `/plancast link`: offers a link, or to replace the one there is. */
export async function link(bot: Bot, context: CommandContext): Promise<void> {
  const found = await links.of(bot.db, context.person);
  if (found === null) return context.reply(await offer(bot, context, { act: 'link' }, 'asked'));
  const started = await start(bot, context, { act: 'link' }, found);
  const { account } = found;
  const why = found.state === 'active' ? 'linked' : 'stopped';
  await context.reply(linkOffer({ copy: context.copy, why, account, ...started }));
}

/** Starts a link and returns its offer. The request runs once the link is made. */
async function offer(
  bot: Bot,
  context: CommandContext,
  request: Request,
  why: 'needed' | 'again' | 'asked',
): Promise<Message> {
  const started = await start(bot, context, request);
  const line = context.asTyped ?? typedLine(request, context.copy.commands);
  const isTyped = request.act !== 'link' && request.act !== 'take-over-all';
  const command = !isTyped ? undefined : await withMentionsNamed(bot, context.person, line);
  return linkOffer({ copy: context.copy, why, command, ...started });
}

/** Throws a `Refusal` after too many tries. */
async function start(
  bot: Bot,
  context: CommandContext,
  request: Request,
  replaces: Link | null = null,
): Promise<StartedLink> {
  const { person, channelId, responseUrl } = context;
  const started = await startLink(bot, { person, channelId, responseUrl, request, replaces });
  if ('retryInSeconds' in started) throw new Refusal(context, tooManyTries(started.retryInSeconds));
  return started;
}

/** `/plancast link CODE`. */
export async function typeCode(bot: Bot, context: CommandContext, code: string): Promise<void> {
  const fault = await submitCode(bot, context, code, { replace: false });
  if (fault) await context.reply(codeNotTaken(fault));
}

/** Opens the form for the code that the browser shows. `onTop`: of a form that is open already. */
export async function openCodeForm(
  { slack }: Bot,
  context: CommandContext,
  { onTop }: { readonly onTop: boolean },
): Promise<void> {
  const { channelId, responseUrl } = context;
  const view = linkCodeModal(context.copy, JSON.stringify({ channelId, responseUrl }));
  await (onTop ? slack.pushForm : slack.openForm)(context, view);
}

/** Takes the code form. Returns what is wrong with the code; else the result replaces the offer, which is used up. */
export async function submitCode(
  bot: Bot,
  context: CommandContext,
  code: string,
  { replace } = { replace: true },
): Promise<CodeFault | null> {
  const entered = await enterCode(bot, { person: context.person, code });
  if ('kind' in entered) return entered;
  // A reply by direct message would say the same as the receipt of the link, which is one too.
  if (context.responseUrl !== null) await context.reply(linked(entered.account, context.copy), { replace });
  return null;
}

/** `/plancast status`. */
export async function showStatus({ db }: Bot, context: CommandContext): Promise<void> {
  const found = await links.of(db, context.person);
  const owned = await subscriptions.ofOwner(db, context.person);
  await context.reply(linkStatus(found, owned.length, context.copy));
}

/** The `response_url` of a person's last click on Link. It is a secret: stored sealed, and only as long as Slack accepts it. */
const pressedOffers = ({ keyv, sealing }: Bot) =>
  makeSealedRecords<string>({ keyv, namespace: 'link-offers', ttlMs: 30 * minuteMs, sealing });
const offerKey = ({ teamId, userId }: SlackPerson) => `${teamId}:${userId}`;

/** Remembers a click on Link. */
export async function pressOffer(
  bot: Bot,
  { person, responseUrl }: Pick<CommandContext, 'person' | 'responseUrl'>,
): Promise<void> {
  if (responseUrl !== null) await pressedOffers(bot).set(offerKey(person), responseUrl);
}

/** Replaces the offer that the person clicked, whose buttons no longer work, with the confirmation of their link. */
export async function replaceOffer(bot: Bot, person: SlackPerson, account: string | null): Promise<void> {
  const offers = pressedOffers(bot);
  const responseUrl = await offers.get(offerKey(person));
  if (responseUrl === undefined) return;
  await offers.delete(offerKey(person));
  await bot.slack.answer(responseUrl, linked(account, bot.config.copy), { replace: true });
}
