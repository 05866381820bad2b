import { type Html, html } from './html.ts';
import type { LookingAt } from './looking-at.ts';

/** What a press of a button does, in this order; the page's script carries it out. */
export type PageAct = {
  /** Shows something else first: another person, channel or side. */
  readonly look?: Partial<Record<keyof LookingAt, string>>;
  /** Sends a command, as the person and in the channel that are shown then. */
  readonly say?: string;
  /** Does something to the practice world. */
  readonly demo?: {
    readonly act: 'clock' | 'faults' | 'kill' | 'start' | 'run';
    readonly body: Readonly<Record<string, unknown>>;
  };
};

type Look = {
  readonly style?: string;
  /** Not yet to be pressed: something has to be done before. */
  readonly disabled?: boolean;
};

/** A button that does something at the page, and not in a message of the bot. */
export function pageButton(
  label: string | Html,
  act: PageAct,
  { style = 'small', disabled = false }: Look = {},
): Html {
  return html`<button type="button" class="${style}" data-do="${JSON.stringify(act)}"${disabled && html` disabled`}>${label}</button>`;
}
