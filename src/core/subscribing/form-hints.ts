import type { FormHints, FormValues, KnownFolder } from '../../messages/subscribing/form-values.ts';
import type { CommandContext } from '../access/command-context.ts';
import { isDiscreet } from '../access/shown-names.ts';
import { commandLine } from '../model/commands.ts';
import { formatRequest } from '../model/format-request.ts';
import { withMentionsNamed } from '../model/names-of.ts';
import { type Channel, isDirect } from '../model/people.ts';
import { deliveryFrom } from '../model/typed-settings.ts';
import type { TargetedRequest } from './allowed-request.ts';
import { brief } from './brief.ts';
import type { FormContext, FormUnderstood } from './form-context.ts';
import { knownFolders, recentlySeen } from './known-folders.ts';
import type { SubscribingRoomDeps } from './subscribing-deps.ts';

/** The current state of a form. */
export type FormState = {
  readonly formContext: FormContext;
  readonly values: FormValues;
  readonly understood: FormUnderstood;
};

/** Looks up what the form shows next to its fields. */
export type HintsFor = (context: CommandContext, form: FormState) => Promise<FormHints>;

export function makeFormHints(deps: SubscribingRoomDeps): HintsFor {
  return async (context, form) => {
    const { formContext, understood } = form;
    const { channelId, request } = understood;
    const channel = channelId === null ? null : { ...context.person, channelId };
    const target = request?.target;
    const certain =
      request && target !== undefined && target.kind !== 'unknown' ? { ...request, target } : null;
    const [obstacle, folders, asTyped] = await Promise.all([
      // For a preset channel this was checked when the form was opened.
      channel && formContext.channelId === null ? obstacleIn(channel) : null,
      foldersFor(context, form),
      certain && lineFor(context, { ...form, request: certain }),
    ]);
    return { obstacle, folders, asTyped };
  };

  /**
   * Returns the line to type instead of the form. Null for a subscription that is gone, or that the person may not see any more, and for a
   * digest in another time zone, because the person's own would apply to what they type.
   */
  async function lineFor(
    context: CommandContext,
    { formContext, request, understood }: FormState & { readonly request: TargetedRequest },
  ): Promise<string | null> {
    const { person } = context;
    const { change, usual, names } = formContext;
    const channelId = understood.channelId ?? '';
    const before = change && (await deps.subscriptions.ofWorkspace(person, change.id));
    if (change !== null && (before === null || !(await maySee(context, channelId, formContext)))) return null;
    const delivery = deliveryFrom(request, before?.delivery ?? { when: 'live' }, formContext.zone);
    if (delivery.when === 'daily' && delivery.zone !== (await deps.profileOf(person)).zone) return null;
    const personal = isDirect(channelId) || undefined;
    const line = formatRequest({ ...brief(request, usual, before), personal });
    return withMentionsNamed(deps.profileOf, person, commandLine(line, names));
  }

  async function obstacleIn(channel: Channel): Promise<FormHints['obstacle']> {
    const why = await deps.recentlyMayPost(channel);
    return why === 'yes' ? null : { why, botName: await deps.botNameOf(channel) };
  }

  /**
   * Whether to show what a form's channel has. A forged click can choose any channel, so Slack has to confirm that the person is in it.
   * A person who opened the form in a channel was in it, so there Slack only has to know that they left.
   */
  async function maySee(
    { person }: CommandContext,
    channelId: string,
    formContext: FormContext,
  ): Promise<boolean> {
    const isIn = await deps.isInChannel(person, channelId);
    return isIn === 'yes' || (isIn === 'unknown' && formContext.channelId !== null);
  }

  /** Returns folders known from subscriptions of this channel or of the person, if a field offers them. */
  async function foldersFor(
    context: CommandContext,
    { formContext, values, understood }: FormState,
  ): Promise<readonly KnownFolder[]> {
    const { person } = context;
    const projectId = projectOf(values, formContext);
    if (projectId === null || !(values.more || values.kind === 'folder')) return [];
    const { channelId, change } = formContext;
    const isSeen = channelId !== null && (await maySee(context, channelId, formContext));
    const folders = knownFolders(await recentlySeen(deps.bot, person, projectId, isSeen ? channelId : null));
    const shownIn = understood.channelId ?? channelId;
    // The form that edits a subscription shows its whole paths anyway.
    const isShort =
      change === null && shownIn !== null && (await isDiscreet(deps.bot, { ...person, channelId: shownIn }));
    if (!isShort) return folders;
    // Only folders in which no other is, so that none of the names is one of a parent.
    const parents = new Set(
      folders.flatMap(({ path }) => path.map((_, end) => path.slice(0, end).join('/'))),
    );
    return folders.flatMap((folder) => (parents.has(folder.path.join('/')) ? [] : { ...folder, isShort }));
  }
}

function projectOf({ reference, kind }: FormValues, { change }: FormContext): string | null {
  if (change !== null) return 'projectId' in change.now.target ? change.now.target.projectId : null;
  const isOfProject = kind === 'project' || kind === 'folder' || kind === 'file';
  return reference !== null && isOfProject ? reference.id : null;
}
