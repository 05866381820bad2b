import { idOf, type Ref } from '../directory.ts';
import type { Message } from '../messages.ts';
import { surfaceFields } from './click.ts';
import { type Doing, type Done, envelopeOf, type Stage, sendInteraction } from './interaction.ts';

export interface ShortcutInput extends Doing {
  user: Ref;
  callbackId: string;
  /** Makes it a message shortcut. */
  message?: Message | undefined;
  /** The workspace it is called in. Default: the message's, else the person's. */
  teamId?: string | undefined;
}

/** Calls a shortcut from the search bar or, with `message`, from a message's menu. */
export async function shortcut(stage: Stage, input: ShortcutInput): Promise<Done> {
  const { state } = stage;
  const { message, callbackId } = input;
  const user = state.directory.user(idOf(input.user));
  const workspace = state.directory.workspace(input.teamId ?? message?.teamId ?? user.teamId);
  const common = {
    ...envelopeOf(stage, { user, workspace }),
    callback_id: callbackId,
    action_ts: state.ids.ts(),
  };
  if (message === undefined) {
    const { teamId } = workspace;
    const { id } = state.triggers.issue({
      id: input.triggerId,
      teamId,
      userId: user.id,
      channelId: undefined,
    });
    const payload = { type: 'shortcut', ...common, trigger_id: id };
    return await sendInteraction(stage, { payload, doing: input });
  }
  const { container: _container, ...where } = surfaceFields(stage, { message }, { user, workspace });
  const payload = { type: 'message_action', ...common, ...where, message_ts: message.ts };
  return await sendInteraction(stage, { payload, doing: input });
}
