import { type Fields, isFields } from './json.ts';

export type Surface = 'message' | 'modal' | 'home';

/** A value and its JSON pointer. */
export interface Spot {
  pointer: string;
  value: unknown;
}

/** What one pass over a payload collects. */
export interface Inspection {
  surface: Surface;
  /** Reports a problem at this spot. The sentence has no subject, such as "is missing". */
  report(spot: Spot, sentence: string): void;
  /** Action ids of the current block; each must be unique. */
  actionIds: Set<string>;
  /** How many elements ask for focus; a view allows one. */
  focused: number;
  /** True within an `input` block. */
  inInput: boolean;
}

/** Checks one value. An absent value passes unless the check is wrapped in `required`. */
export type Check = (see: Inspection, spot: Spot) => void;

/** Returns the spot of a field or list entry below `spot`. */
export function below({ pointer, value }: Spot, key: string | number): Spot {
  const holder: Fields = isFields(value) || Array.isArray(value) ? (value as Fields) : {};
  return { pointer: `${pointer}/${key}`, value: holder[key] };
}

const amount = (count: number): string => count.toLocaleString('en-GB');

export function required(check: Check): Check {
  return (see, spot) =>
    spot.value === undefined || spot.value === null ? see.report(spot, 'is missing') : check(see, spot);
}

/** Runs both checks in order. */
export function both(first: Check, second: Check): Check {
  return (see, spot) => {
    first(see, spot);
    second(see, spot);
  };
}

export const anything: Check = () => undefined;

export const flag: Check = (see, spot) => {
  if (spot.value !== undefined && typeof spot.value !== 'boolean') see.report(spot, 'is not true or false');
};

/** Accepts a string of `min` (default 1) to `max` UTF-16 units. */
export function string(max: number, { min = 1, form }: { min?: number; form?: RegExp } = {}): Check {
  return (see, spot) => {
    const { value } = spot;
    if (value === undefined || value === null) return;
    if (typeof value !== 'string') see.report(spot, 'is not a string');
    else if (value.length > max) {
      see.report(spot, `has ${amount(value.length)} characters, Slack allows ${amount(max)}`);
    } else if (value.length < min) see.report(spot, `has fewer than ${amount(min)} characters`);
    else if (form !== undefined && !form.test(value)) see.report(spot, `does not look like ${form.source}`);
  };
}

export function integer(min: number, max: number): Check {
  return (see, spot) => {
    if (spot.value === undefined) return;
    const { value } = spot;
    const fits = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
    if (!fits) see.report(spot, `is not a whole number from ${amount(min)} to ${amount(max)}`);
  };
}

export function oneOf(...allowed: string[]): Check {
  return (see, spot) => {
    if (spot.value === undefined || (typeof spot.value === 'string' && allowed.includes(spot.value))) return;
    see.report(spot, `is not one of ${allowed.join(', ')}`);
  };
}

export function list(each: Check, { min = 1, max }: { min?: number; max: number }): Check {
  return (see, spot) => {
    if (spot.value === undefined) return;
    if (!Array.isArray(spot.value)) {
      see.report(spot, 'is not a list');
      return;
    }
    const { length } = spot.value;
    if (length > max) see.report(spot, `has ${amount(length)} entries, Slack allows ${amount(max)}`);
    if (length < min)
      see.report(spot, `has ${amount(length)} entries, Slack requires at least ${amount(min)}`);
    for (const index of spot.value.keys()) required(each)(see, below(spot, index));
  };
}

/** Accepts an object with exactly these fields: Slack refuses "additional properties". */
export function object(fields: Record<string, Check>): Check {
  return (see, spot) => {
    if (spot.value === undefined) return;
    if (!isFields(spot.value)) {
      see.report(spot, 'is not an object');
      return;
    }
    for (const key of Object.keys(spot.value)) {
      if (!(key in fields)) see.report(below(spot, key), 'is not a field Slack knows here');
    }
    for (const [key, check] of Object.entries(fields)) check(see, below(spot, key));
  };
}

/** Picks the check by the object's `type`. */
export function typed(checks: Record<string, Check>): Check {
  return (see, spot) => {
    if (spot.value === undefined) return;
    const type = isFields(spot.value) ? spot.value.type : undefined;
    const check = typeof type === 'string' && Object.hasOwn(checks, type) ? checks[type] : undefined;
    if (check === undefined)
      see.report(below(spot, 'type'), `is "${String(type)}", which is not allowed here`);
    else check(see, spot);
  };
}

/** Accepts a `plain_text` object. */
export function plain(max: number): Check {
  return typed({ plain_text: object({ type: anything, text: required(string(max)), emoji: flag }) });
}

/** Accepts a text object of either type. */
export function anyText(max: number): Check {
  return typed({
    plain_text: object({ type: anything, text: required(string(max)), emoji: flag }),
    mrkdwn: object({ type: anything, text: required(string(max)), verbatim: flag }),
  });
}

/** Accepts an mrkdwn text object. */
export function mrkdwn(max: number): Check {
  return typed({ mrkdwn: object({ type: anything, text: required(string(max)), verbatim: flag }) });
}
