import { type Fields, fieldsOf, isFields } from './json.ts';

/** An interactive element and where it is. */
export interface FoundElement {
  blockId: string;
  actionId: string;
  element: Fields;
  /** The enclosing `input` block, which has the label and `optional`. */
  input: Fields | undefined;
}

function collect(
  value: unknown,
  around: { blockId: string; input?: Fields | undefined },
  found: FoundElement[],
): void {
  if (Array.isArray(value)) {
    for (const entry of value) collect(entry, around, found);
    return;
  }
  if (!isFields(value)) return;
  const inside = {
    blockId: typeof value.block_id === 'string' ? value.block_id : around.blockId,
    input: value.type === 'input' ? value : around.input,
  };
  if (typeof value.action_id === 'string') {
    found.push({ blockId: inside.blockId, actionId: value.action_id, element: value, input: inside.input });
    return;
  }
  for (const entry of Object.values(value)) collect(entry, inside, found);
}

/** Returns all elements of the blocks that have an action id, in order. */
export function findElements(blocks: unknown): FoundElement[] {
  const found: FoundElement[] = [];
  collect(blocks, { blockId: '' }, found);
  return found;
}

/** Returns a button's label; undefined for other elements. */
export function labelOf({ element }: FoundElement): string | undefined {
  const { text } = fieldsOf(element.text);
  return element.type === 'button' && typeof text === 'string' ? text : undefined;
}

/**
 * Returns the button with this label or action id.
 * @param wanted its exact label, or its `action_id`
 * @throws Error listing the existing buttons
 */
export function findButton({ blocks }: { blocks: unknown }, wanted: string): FoundElement {
  const buttons = findElements(blocks).filter(({ element }) => element.type === 'button');
  const match = buttons.find((button) => labelOf(button) === wanted || button.actionId === wanted);
  if (match !== undefined) return match;
  const there = buttons.map((button) => `"${labelOf(button) ?? ''}" (${button.actionId})`).join(', ');
  throw new Error(`There is no button "${wanted}" here; there are: ${there || 'none'}`);
}
