import type { CommandContext } from '../../core/access/command-context.ts';
import { readRequest } from '../../core/access/kept-requests.ts';
import { carryOut, requireAdmission } from '../../core/acts/carry-out.ts';
import type { Pressed } from '../../core/acts/row.ts';
import type { Bot } from '../../core/bot.ts';
import { type AnyRequest, anyRequestSchema, mostLinks } from '../../core/model/any-request.ts';
import { type LinkedTarget, linkedTarget, type UrlTemplates } from '../../core/model/service-urls.ts';
import { isChannelId, isUserId } from '../../core/model/typed-text.ts';
import { goBack, showMore, showPreview } from '../../core/subscribing/show-form.ts';
import { outdated } from '../../messages/subscribing/answers.ts';
import { actionIds } from '../../messages/text/modal.ts';
import { parseCommand } from '../grammar/parse-command.ts';
import { type FieldValues, fieldIn } from './forms.ts';
import { oldButtons } from './old-buttons.ts';

/** The form or Home tab that something was pressed in, as Slack sends it. */
export type PressedView = NonNullable<Pressed['view']> & {
  readonly callback_id: string;
  readonly state?: { readonly values: FieldValues } | undefined;
};

/** A button that was pressed, or a field that was changed. */
export type Press = Pressed & {
  readonly context: CommandContext;
  readonly actionId: string;
  readonly value: string;
  readonly view: PressedView | null;
};

type InForm = (bot: Bot, context: CommandContext, view: PressedView) => Promise<void>;

const fieldsIn = (view: PressedView) => (name: string) => fieldIn(view.state?.values ?? {}, name);

/** What is pressed in the subscribe form before anything is asked for. By `action_id`. */
const formActions: Readonly<Record<string, InForm>> = {
  [actionIds.formMore]: showMore,
  [actionIds.formBack]: (bot, context, view) =>
    goBack(bot, context, view.id, view.private_metadata, fieldsIn(view)),
  [actionIds.formPreview]: (bot, context, view) =>
    showPreview(bot, context, view.private_metadata, fieldsIn(view)),
};

/** Fields whose change is a request: those that filter the list of a workspace. */
const filters: Readonly<Record<string, (value: string) => unknown>> = {
  [actionIds.workspaceState]: (state) => ({ state }),
  [actionIds.workspaceChannel]: (value) => ({ channelId: isChannelId(value) ? value : null }),
  [actionIds.workspaceOwner]: (value) => ({ ownerUserId: isUserId(value) ? value : null }),
};

/** Carries out what a button or an entry in a menu asks for. */
export async function takePress(bot: Bot, pressed: Press): Promise<void> {
  const { context, actionId, value, view } = pressed;
  const inForm = formActions[actionId];
  if (inForm) {
    await requireAdmission(bot, context);
    if (view) await inForm(bot, context, view);
    return;
  }
  const request = await requestOf(bot, actionId, value);
  if (request !== null) return carryOut(bot, context, request, { pressed });
  await requireAdmission(bot, context);
  await context.reply(outdated);
}

/** Returns what is asked for; null if this release does not know it. */
async function requestOf(bot: Bot, actionId: string, value: string): Promise<AnyRequest | null> {
  const set = filters[actionId]?.(value);
  if (set) return parsed({ act: 'workspace', page: 0, set });
  const held = await readRequest(bot, value);
  const old = oldButtons[actionId];
  return old ? parsed(old(value, held)) : held;
}

function parsed(request: unknown): AnyRequest | null {
  return anyRequestSchema.safeParse(request).data ?? null;
}

/** Returns the value of a pressed button or of the choice made in a menu. */
export function sentBack(action: object): string {
  if ('value' in action && typeof action.value === 'string') return action.value;
  if ('selected_conversation' in action && typeof action.selected_conversation === 'string') {
    return action.selected_conversation;
  }
  if ('selected_user' in action && typeof action.selected_user === 'string') return action.selected_user;
  const option = 'selected_option' in action ? action.selected_option : null;
  const isOption = typeof option === 'object' && option !== null && 'value' in option;
  return isOption && typeof option.value === 'string' ? option.value : '';
}

/** What each shortcut in the composer and in search asks for, by `callback_id`. */
export const shortcuts: Readonly<Record<string, AnyRequest>> = {
  subscribe: { act: 'open-form-anywhere' },
};

/** What each shortcut in a message's menu asks for, given the message as Slack sends it. */
export const messageShortcuts: Readonly<
  Record<string, (message: object, templates: UrlTemplates) => AnyRequest>
> = {
  why: () => ({ act: 'why-message' }),
  follow: (message, templates) => ({ act: 'follow-links', targets: targetsIn(message, templates) }),
};

const address = /https?:\/\/[^\s<>|"]+/g;
/** How many different links of a message are read, and how long they may be. Reading all that fit into one takes seconds. */
const read = { most: 100, longest: 2_000 };

/**
 * Returns what the links in a message lead to, wherever they are in it: in its text, its blocks, its attachments. If none fits an address that
 * the admin set, every link counts that a command would understand.
 */
function targetsIn(message: object, templates: UrlTemplates): LinkedTarget[] {
  const found = textsIn(message).flatMap((text) => text.match(address) ?? []);
  const urls = [...new Set(found)].filter(({ length }) => length <= read.longest).slice(0, read.most);
  const fitting = urls.flatMap((url) => linkedTarget(url.replaceAll('&amp;', '&'), templates) ?? []);
  const targets = fitting.length > 0 ? fitting : urls.flatMap(understood);
  return [...new Map(targets.map((target) => [JSON.stringify(target), target])).values()].slice(0, mostLinks);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function understood(url: string): LinkedTarget[] {
  const parsed = parseCommand('subscribe', `<${url}>`);
  return parsed.ok && parsed.request.act === 'subscribe' ? [parsed.request.target] : [];
}
