import { minuteMs } from '../../lib/durations.ts';
import type { AnyRequest } from './any-request.ts';
import type { StoredSettings } from './subscription.ts';

/** How long a button can undo a member's change, in minutes. */
export const undoMinutes = 10;

/** What a change of a subscription replaced. `key`: identifies the change in its Undo button. */
export type SettingsUndo = {
  readonly key: string;
  readonly before: { readonly [Setting in keyof StoredSettings]?: StoredSettings[Setting] | undefined };
};

/** Returns the value of the Undo button for a subscription that is changed `now`, or for a new one, which has no `key`. */
export function undoValue(id: string, now: Date, key = ''): string {
  return JSON.stringify({ act: 'undo-change', id, key, at: now.getTime() } satisfies AnyRequest);
}

/** Returns whether an Undo button works no longer. `at`: when the change was made, in milliseconds since 1970; NaN if that is unknown. */
export function isTooLate(now: Date, at: number): boolean {
  return !(now.getTime() - at <= undoMinutes * minuteMs);
}
