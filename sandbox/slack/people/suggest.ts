import { idOf, type Ref } from '../directory.ts';
import { findElements } from '../find-elements.ts';
import { type Fields, fieldsListOf, fieldsOf } from '../json.ts';
import type { Message } from '../messages.ts';
import type { View } from '../views.ts';
import { surfaceFields, surfaceOf } from './click.ts';
import { type Doing, type Done, envelopeOf, failureOf, type Stage, sendInteraction } from './interaction.ts';

export interface SuggestInput extends Doing {
  user: Ref;
  message?: Message | undefined;
  view?: View | undefined;
  /** The action id of the external select. */
  actionId: string;
  blockId?: string | undefined;
  /** The text typed into it. Default: empty. */
  value?: string | undefined;
}

export interface Suggested extends Done {
  /** The offered options, including those in groups. */
  options: Fields[];
}

function optionsOf(json: unknown): Fields[] {
  const { options, option_groups: groups } = fieldsOf(json);
  return [...fieldsListOf(options), ...fieldsListOf(groups).flatMap((group) => fieldsListOf(group.options))];
}

/** Types into an external select: asks the bot for options and remembers them in the view. */
export async function suggest(stage: Stage, input: SuggestInput): Promise<Suggested> {
  const { state } = stage;
  const surface = surfaceOf(input);
  const { blocks, teamId } = surface.message ?? surface.view;
  const user = state.directory.user(idOf(input.user));
  const workspace = state.directory.workspace(teamId);
  const select = findElements(blocks).find(
    ({ actionId, blockId }) => actionId === input.actionId && (input.blockId ?? blockId) === blockId,
  );
  if (select === undefined) throw new Error(`There is no select "${input.actionId}" here.`);
  // Slack sends neither a trigger nor a response URL with this.
  const {
    trigger_id: _trigger,
    response_url: _url,
    ...where
  } = surfaceFields(stage, surface, { user, workspace });
  const payload = {
    type: 'block_suggestion',
    ...envelopeOf(stage, { user, workspace }),
    ...where,
    action_id: select.actionId,
    block_id: select.blockId,
    value: input.value ?? '',
  };
  const done = await sendInteraction(stage, { payload, doing: input });
  const options = failureOf(done) === undefined ? optionsOf(done.json) : [];
  if (options.length > 100) {
    const sentence = `${select.actionId} was offered ${options.length} options, Slack allows 100.`;
    state.violations.add({ kind: 'answer', method: 'block_suggestion', sentence, teamId });
  }
  // What was chosen from earlier ones is still known by its text.
  const earlier = surface.view?.suggested.get(select.actionId) ?? [];
  surface.view?.suggested.set(select.actionId, [...options, ...earlier]);
  return { ...done, options };
}
