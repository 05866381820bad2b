import { messageJson, viewJson } from '../api/wire-format.ts';
import { idOf, type Ref, type User, type Workspace } from '../directory.ts';
import { holding, keepsValue } from '../element-values.ts';
import { type FoundElement, findElements, labelOf } from '../find-elements.ts';
import { type Fields, fieldsListOf, isFields } from '../json.ts';
import type { Message } from '../messages.ts';
import type { View } from '../views.ts';
import { channelNameInPayload } from './channel-name.ts';
import { fillView, messageValues, type Values } from './fill.ts';
import { type Doing, type Done, envelopeOf, type Stage, sendInteraction } from './interaction.ts';

export interface ClickInput extends Doing {
  user: Ref;
  /** The message (ephemeral or not) or view that contains the element. */
  message?: Message | undefined;
  view?: View | undefined;
  /** The element's action id or, for a button, its label. */
  actionId?: string | undefined;
  /** The element itself, as returned by `button()`. */
  element?: FoundElement | undefined;
  /** Selects the block if several contain that action id. */
  blockId?: string | undefined;
  /** The choice in a select, picker, overflow or checkboxes. For a button: the `value` to send, real or forged. */
  value?: unknown;
  /** Other values entered on the same view or message. */
  state?: Values | undefined;
}

export type Surface = { message: Message; view?: undefined } | { view: View; message?: undefined };

/** Returns the message or view the person acts on. */
export function surfaceOf({ message, view }: Pick<ClickInput, 'message' | 'view'>): Surface {
  if (message !== undefined) return { message };
  if (view !== undefined) return { view };
  throw new Error('Specify a message or a view.');
}

function findClicked(input: ClickInput, blocks: Fields[]): FoundElement {
  if (input.element !== undefined) return input.element;
  const all = findElements(blocks);
  const named = all.filter(
    (found) =>
      (found.actionId === input.actionId || labelOf(found) === input.actionId) &&
      (input.blockId === undefined || found.blockId === input.blockId),
  );
  const exact = named.find(({ element }) => input.value !== undefined && element.value === input.value);
  const chosen = exact ?? named[0];
  if (chosen !== undefined) return chosen;
  const there = all
    .map((found) => `${labelOf(found) ?? String(found.element.type)} (${found.actionId})`)
    .join(', ');
  throw new Error(`There is no clickable element "${input.actionId ?? ''}"; there are: ${there || 'none'}`);
}

/** Returns the `actions` entry of a payload. */
function actionOf({ blockId, actionId, element }: FoundElement, input: ClickInput, ts: string): Fields {
  const common = { action_id: actionId, block_id: blockId, type: element.type, action_ts: ts };
  const { text, style, url, placeholder } = element;
  if (element.type === 'button' || element.type === 'workflow_button') {
    const value = input.value ?? element.value;
    return {
      ...common,
      text,
      ...(value !== undefined && { value }),
      ...(style !== undefined && { style }),
      ...(url !== undefined && { url }),
    };
  }
  const suggested = input.view?.suggested.get(actionId);
  const isWhole = isFields(input.value) && input.value.type === element.type;
  const held = isWhole ? (input.value as Fields) : holding(element, input.value, suggested);
  return { ...common, ...(placeholder !== undefined && { placeholder }), ...held };
}

interface Acting {
  user: User;
  workspace: Workspace;
  triggerId?: string | undefined;
}

/** Returns the payload fields that identify the message or view. */
export function surfaceFields(
  stage: Stage,
  surface: Surface,
  { user, workspace, triggerId }: Acting,
): Fields {
  const { state } = stage;
  const { teamId } = workspace;
  const channelId = surface.message?.channelId ?? surface.view?.channelId;
  const trigger = state.triggers.issue({ id: triggerId, teamId, userId: user.id, channelId });
  if (surface.message === undefined) {
    const view = viewJson(state, surface.view);
    return { container: { type: 'view', view_id: surface.view.id }, trigger_id: trigger.id, view };
  }
  const { message } = surface;
  const channel = state.directory.channel(message.channelId);
  const url = state.responseUrls.issue({
    kind: 'actions',
    teamId,
    channelId: channel.id,
    userId: user.id,
    messageId: message.id,
  });
  const isEphemeral = message.viewerId !== undefined;
  return {
    container: {
      type: 'message',
      message_ts: message.ts,
      channel_id: channel.id,
      is_ephemeral: isEphemeral,
      ...(message.threadTs !== undefined && { thread_ts: message.threadTs }),
    },
    trigger_id: trigger.id,
    channel: { id: channel.id, name: channelNameInPayload(channel) },
    ...(!isEphemeral && { message: messageJson(state, message) }),
    response_url: `${stage.origin()}${url.path}`,
  };
}

/** Returns the payload fields that identify a preview below a message, which is not sent along (slackapi/java-slack-sdk#1038). */
function previewFields(message: Message, preview: Fields): Fields {
  return {
    container: {
      type: 'message_attachment',
      message_ts: message.ts,
      attachment_id: preview.id,
      channel_id: message.channelId,
      is_ephemeral: false,
      is_app_unfurl: true,
      app_unfurl_url: preview.app_unfurl_url,
    },
    message: undefined,
  };
}

/** Clicks, chooses or ticks something in a message or view. Resolves with the bot's response. */
export async function click(stage: Stage, input: ClickInput): Promise<Done> {
  const { state } = stage;
  const surface = surfaceOf(input);
  const { blocks: own, teamId } = surface.message ?? surface.view;
  const previews = surface.message?.attachments ?? [];
  const blocks = [...own, ...previews.flatMap((preview) => fieldsListOf(preview.blocks))];
  const user = state.directory.user(idOf(input.user));
  const workspace = state.directory.workspace(teamId);
  const clicked = findClicked(input, blocks);
  const { blockId, actionId, element } = clicked;
  const preview = previews.find((each) =>
    fieldsListOf(each.blocks).some((block) => block.block_id === blockId),
  );
  const chosen = keepsValue(element) ? { [blockId]: { [actionId]: input.value } } : {};
  if (surface.view !== undefined) {
    fillView(surface.view, input.state);
    fillView(surface.view, chosen);
  }
  const payload = {
    type: 'block_actions',
    ...envelopeOf(stage, { user, workspace }),
    ...surfaceFields(stage, surface, { user, workspace, triggerId: input.triggerId }),
    ...(surface.message !== undefined && preview !== undefined && previewFields(surface.message, preview)),
    ...(surface.view === undefined && {
      state: { values: messageValues(blocks, { ...input.state, ...chosen }) },
    }),
    actions: [actionOf(clicked, input, state.ids.ts())],
  };
  return await sendInteraction(stage, { payload, doing: input });
}
