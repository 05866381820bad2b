import { refusedBlocks, validateView } from '../block-kit.ts';
import { problemLines } from '../content.ts';
import { type Fields, fieldsOf, stringOf } from '../json.ts';
import type { Trigger } from '../triggers.ts';
import type { View } from '../views.ts';
import { ApiError, type ApiMethod, type MethodCall, requireTaken } from './api-method.ts';
import { viewJson } from './wire-format.ts';

/** Returns the view of a call after validating it. */
function definitionOf({ state, method, args, workspace }: MethodCall, type: View['type']): Fields {
  if (args.view === undefined) throw new ApiError('invalid_arguments');
  const definition = fieldsOf(args.view);
  const problems = validateView(definition);
  if (definition.type !== type && problems.length === 0) {
    problems.push({
      pointer: '/view/type',
      sentence: `The type is not ${type}.`,
      error: 'invalid_arguments',
    });
  }
  const [first] = problems;
  if (first === undefined) {
    requireTaken(refusedBlocks(definition.blocks, workspace.refusedBlocks, '/view/blocks'));
    return definition;
  }
  const sentence = problems.map(({ pointer, sentence: line }) => `${pointer}: ${line}`).join(' ');
  state.violations.add({ kind: 'blocks', method, sentence, teamId: workspace.teamId });
  throw new ApiError(first.error, { response_metadata: { messages: problemLines(problems) } });
}

function triggerOf({ state, method, args, workspaces, workspace }: MethodCall): Trigger {
  const id = stringOf(args.trigger_id);
  if (id === undefined) throw new ApiError('invalid_arguments');
  const teamIds = workspaces.map(({ teamId }) => teamId);
  const trigger = state.triggers.check(id, teamIds);
  if (typeof trigger !== 'string') return trigger;
  state.violations.add({
    kind: 'trigger',
    method,
    sentence: `The trigger id: ${trigger}.`,
    teamId: workspace.teamId,
  });
  throw new ApiError(trigger);
}

function requireFreeExternalId({ state, workspace }: MethodCall, definition: Fields, self?: View): void {
  const externalId = stringOf(definition.external_id);
  if (externalId === undefined) return;
  const other = state.views.byExternalId(workspace.teamId, externalId);
  if (other !== undefined && other !== self) throw new ApiError('duplicate_external_id');
}

function requireHash(args: Fields, view: View | undefined): void {
  const hash = stringOf(args.hash);
  if (hash !== undefined && view !== undefined && hash !== view.hash) throw new ApiError('hash_conflict');
}

const open: ApiMethod = {
  tier: 4,
  run(call) {
    const { state } = call;
    const trigger = triggerOf(call);
    const definition = definitionOf(call, 'modal');
    requireFreeExternalId(call, definition);
    state.triggers.spend(trigger);
    return { view: viewJson(state, state.views.open(trigger, definition)) };
  },
};

const push: ApiMethod = {
  tier: 4,
  run(call) {
    const { state } = call;
    const trigger = triggerOf(call);
    const definition = definitionOf(call, 'modal');
    requireFreeExternalId(call, definition);
    const view = state.views.push(trigger, definition);
    if (view === undefined) throw new ApiError('push_limit_reached');
    state.triggers.spend(trigger);
    return { view: viewJson(state, view) };
  },
};

const update: ApiMethod = {
  tier: 4,
  run(call) {
    const { state, args, workspaces } = call;
    const byId = stringOf(args.view_id);
    const byExternalId = stringOf(args.external_id);
    const view =
      byId !== undefined
        ? state.views.find(byId)
        : state.views.byExternalId(call.workspace.teamId, byExternalId ?? ' ');
    if (view === undefined || !view.isOpen || !workspaces.some(({ teamId }) => teamId === view.teamId)) {
      throw new ApiError('not_found');
    }
    requireHash(args, view);
    const definition = definitionOf(call, view.type);
    requireFreeExternalId(call, definition, view);
    state.views.update(view, definition);
    return { view: viewJson(state, view) };
  },
};

const publish: ApiMethod = {
  tier: 4,
  run(call) {
    const { state, args, workspace, workspaces } = call;
    const user = state.directory.users.get(String(args.user_id));
    if (user === undefined) throw new ApiError('user_not_found');
    const definition = definitionOf(call, 'home');
    // An organization's installation publishes to people of all its workspaces.
    const { teamId } = workspaces.find((own) => own.teamId === user.teamId) ?? workspace;
    const viewer = { teamId, userId: user.id };
    requireHash(args, state.views.homeOf(viewer));
    return { view: viewJson(state, state.views.publish(viewer, definition)) };
  },
};

export const viewMethods: Record<string, ApiMethod> = {
  'views.open': open,
  'views.push': push,
  'views.update': update,
  'views.publish': publish,
};
