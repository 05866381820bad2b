import type { Ids } from './ids.ts';
import { type Fields, isFields } from './json.ts';

/** Types of interactive elements, which carry an `action_id`. */
const ACTING =
  /^(button|overflow|workflow_button|checkboxes|radio_buttons|.*_select|.*picker|.*_input|feedback_buttons|icon_button)$/;

function withIds(value: unknown, ids: Ids): unknown {
  if (Array.isArray(value)) return value.map((entry) => withIds(entry, ids));
  if (!isFields(value)) return value;
  const copy: Fields = Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, withIds(entry, ids)]),
  );
  if (typeof copy.type === 'string' && ACTING.test(copy.type) && copy.action_id === undefined) {
    copy.action_id = ids.secret();
  }
  return copy;
}

/** Returns a copy of the blocks in which every block has a `block_id` and every interactive element an `action_id`, as in Slack. */
export function withElementIds(blocks: Fields[], ids: Ids): Fields[] {
  return blocks.map((block) => {
    const copy = withIds(block, ids) as Fields;
    return { ...copy, block_id: copy.block_id ?? ids.secret() };
  });
}
