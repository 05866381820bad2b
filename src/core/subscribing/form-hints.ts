import type { FormHints, FormValues, KnownFolder } from '../../messages/subscribing/form-values.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { CommandContext } from '../access/command-context.ts';
import { isDiscreet } from '../access/shown-names.ts';
import type { Bot } from '../bot.ts';
import { commandLine } from '../model/commands.ts';
import { formatRequest } from '../model/format-request.ts';
import { withMentionsNamed } from '../model/names-of.ts';
import { type Channel, isDirect } from '../model/people.ts';
import { deliveryFrom } from '../model/typed-settings.ts';
import type { TargetedRequest } from './allowed-request.ts';
import { brief } from './brief.ts';
import type { FormContext, FormUnderstood } from './form-context.ts';
import { knownFolders, recentlySeen } from './known-folders.ts';

/** The current state of a form. */
export type FormState = {
  readonly formContext: FormContext;
  readonly values: FormValues;
  readonly understood: FormUnderstood;
};

/** Looks up what the form shows next to its fields. */
export async function hintsFor(bot: Bot, context: CommandContext, form: FormState): Promise<FormHints> {
  const { formContext, understood } = form;
  const { channelId, request } = understood;
  const channel = channelId === null ? null : { ...context.person, channelId };
  const target = request?.target;
  const targeted =
    request && target !== undefined && target.kind !== 'unknown' ? { ...request, target } : null;
  const [obstacle, folders, asTyped] = await Promise.all([
    // For a preset channel this was checked when the form was opened.
    channel && formContext.channelId === null ? obstacleIn(bot, channel) : null,
    foldersFor(bot, context, form),
    targeted && lineFor(bot, context, { ...form, request: targeted }),
  ]);
  return { obstacle, folders, asTyped };
}

/**
 * Returns the line to type instead of the form. Null for a subscription that is gone, or that the person may not see any more. Null also for
 * a digest in another time zone than the person's, which would apply to what they type.
 */
async function lineFor(
  bot: Bot,
  context: CommandContext,
  { formContext, request, understood }: FormState & { readonly request: TargetedRequest },
): Promise<string | null> {
  const { person } = context;
  const { change, usual, names } = formContext;
  const channelId = understood.channelId ?? '';
  const before = change && (await subscriptions.ofWorkspace(bot.db, person, change.id));
  if (change !== null && (before === null || !(await maySee(bot, context, channelId, formContext))))
    return null;
  const delivery = deliveryFrom(request, before?.delivery ?? { when: 'live' }, formContext.zone);
  if ('zone' in delivery && delivery.zone !== (await bot.slack.profileOf(person)).zone) return null;
  const personal = isDirect(channelId) || undefined;
  const line = formatRequest({ ...brief(request, usual, before), personal });
  return withMentionsNamed(bot.slack.profileOf, person, commandLine(line, names));
}

async function obstacleIn({ slack }: Bot, channel: Channel): Promise<FormHints['obstacle']> {
  const why = await slack.recentlyMayPost(channel);
  return why === 'yes' ? null : { why, botName: await slack.botNameOf(channel) };
}

/**
 * Whether to show what a form's channel has. A forged click can choose any channel, so Slack has to confirm that the person is in it.
 * A person who opened the form in a channel was in it, so there Slack only has to know that they left.
 */
async function maySee(
  { slack }: Bot,
  { person }: CommandContext,
  channelId: string,
  formContext: FormContext,
): Promise<boolean> {
  const isIn = await slack.isInChannel(person, channelId);
  return isIn === 'yes' || (isIn === 'unknown' && formContext.channelId !== null);
}

/** Returns folders known from subscriptions of this channel or of the person, if a field offers them. */
async function foldersFor(
  bot: Bot,
  context: CommandContext,
  { formContext, values, understood }: FormState,
): Promise<readonly KnownFolder[]> {
  const { person } = context;
  const projectId = projectOf(values, formContext);
  if (projectId === null || !(values.more || values.kind === 'folder')) return [];
  const { channelId, change } = formContext;
  const isSeen = channelId !== null && (await maySee(bot, context, channelId, formContext));
  const folders = knownFolders(await recentlySeen(bot, person, projectId, isSeen ? channelId : null));
  const shownIn = understood.channelId ?? channelId;
  // The form that edits a subscription shows its whole paths anyway.
  const isShort =
    change === null && shownIn !== null && (await isDiscreet(bot, { ...person, channelId: shownIn }));
  if (!isShort) return folders;
  // Only folders in which no other is, so that none of the names is one of a parent.
  const parents = new Set(folders.flatMap(({ path }) => path.map((_, end) => path.slice(0, end).join('/'))));
  return folders.flatMap((folder) => (parents.has(folder.path.join('/')) ? [] : { ...folder, isShort }));
}

function projectOf({ reference, kind }: FormValues, { change }: FormContext): string | null {
  if (change !== null) return 'projectId' in change.now.target ? change.now.target.projectId : null;
  const isOfProject = kind === 'project' || kind === 'folder' || kind === 'file';
  return reference !== null && isOfProject ? reference.id : null;
}
