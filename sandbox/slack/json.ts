/** An object parsed from JSON; nothing is known about its fields yet. */
export type Fields = Record<string, unknown>;

/** Returns whether `value` is a JSON object (not an array, not null). */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns `value` if it is an object, otherwise an empty object. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** Returns the objects of the list `value`; other entries are skipped. */
export function fieldsListOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** Returns `value` if it is a non-empty string, otherwise undefined. */
export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns `value` as a boolean. Forms carry flags as text: Slack accepts `true` and `1`. */
export function flagOf(value: unknown): boolean {
  return value === true || value === 1 || value === 'true' || value === '1';
}

/** Returns the parsed JSON, or undefined if `text` is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
