import { type ElementState, holding, initially, keepsValue, type StateValues } from '../element-values.ts';
import { type FoundElement, findElements } from '../find-elements.ts';
import { type Fields, isFields } from '../json.ts';
import type { View } from '../views.ts';

/**
 * Values that a person enters into elements: by action id, by block id, or by block id and then action id. Values as in `holding`: an
 * option's value or text, an id, a date, a string, a list of them, null to clear. An object with a `type` is used as the element's whole
 * state.
 */
export type Values = Record<string, unknown>;

function wantedFor({ blockId, actionId }: FoundElement, values: Values): { wanted: unknown } | undefined {
  if (Object.hasOwn(values, actionId)) return { wanted: values[actionId] };
  if (!Object.hasOwn(values, blockId)) return undefined;
  const inBlock = values[blockId];
  const byAction = isFields(inBlock) && inBlock.type === undefined && inBlock.text === undefined;
  if (!byAction) return { wanted: inBlock };
  return Object.hasOwn(inBlock, actionId) ? { wanted: inBlock[actionId] } : undefined;
}

function stateFor(element: Fields, wanted: unknown, suggested: Fields[] | undefined): ElementState {
  if (isFields(wanted) && typeof wanted.type === 'string' && wanted.type === element.type) return wanted;
  return holding(element, wanted, suggested);
}

function refuseUnknown(found: FoundElement[], values: Values): void {
  const ids = new Set(found.flatMap(({ blockId, actionId }) => [blockId, actionId]));
  const unknown = Object.keys(values).filter((key) => !ids.has(key));
  if (unknown.length === 0) return;
  throw new Error(`There is no field ${unknown.join(', ')}; there are: ${[...ids].join(', ')}`);
}

/**
 * Enters values into the elements of a view, which keeps them.
 * @throws Error if the view has no such element or option
 */
export function fillView(view: View, values: Values = {}): void {
  const found = findElements(view.blocks).filter(({ element }) => keepsValue(element));
  refuseUnknown(found, values);
  for (const place of found) {
    const given = wantedFor(place, values);
    if (given === undefined) continue;
    const { blockId, actionId, element } = place;
    const state = stateFor(element, given.wanted, view.suggested.get(actionId));
    view.typed[blockId] = { ...view.typed[blockId], [actionId]: state };
  }
}

/** Returns the `state.values` of a message: each element with its chosen value, else its initial one. */
export function messageValues(blocks: Fields[], values: Values = {}): StateValues {
  const found = findElements(blocks).filter(({ element }) => keepsValue(element));
  refuseUnknown(found, values);
  const state: StateValues = {};
  for (const place of found) {
    const { blockId, actionId, element } = place;
    const given = wantedFor(place, values);
    const held = given === undefined ? initially(element) : stateFor(element, given.wanted, undefined);
    state[blockId] = { ...state[blockId], [actionId]: held };
  }
  return state;
}
