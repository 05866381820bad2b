/** An object as it comes out of JSON: nothing is known about its fields yet. */
export type Fields = Record<string, unknown>;

/** Whether `value` is a JSON object (not a list, not null). */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `value` as an object; anything else becomes an empty one. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** `value` as a list of objects; what is not an object is skipped. */
export function fieldsListOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** `value` as a string that says something; undefined for the empty string and everything else. */
export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** `value` as a flag. Forms carry flags as text: Slack takes `true` and `1`. */
export function flagOf(value: unknown): boolean {
  return value === true || value === 1 || value === 'true' || value === '1';
}

/** The parsed JSON, or undefined where `text` is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
