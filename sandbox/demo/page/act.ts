import { type Html, html } from './html.ts';
import type { LookingAt } from './looking-at.ts';

/** What a button does, in this order; carried out by the page's script. */
export type PageAct = {
  /** First shows another person, channel or side. */
  readonly look?: Partial<Record<keyof LookingAt, string>>;
  /** Sends a command, or writes a message, as the person and in the channel that are shown then. `{page}`: the page's own address. */
  readonly say?: string;
  /** Changes the practice world. */
  readonly demo?: {
    readonly act: 'begin' | 'clock' | 'faults' | 'kill' | 'start' | 'run';
    readonly body: Readonly<Record<string, unknown>>;
  };
};

type Look = {
  readonly style?: string;
  /** Disabled until something else has been done. */
  readonly disabled?: boolean;
};

/** Renders a button that acts on the page, not in a message of the bot. */
export function pageButton(
  label: string | Html,
  act: PageAct,
  { style = 'small', disabled = false }: Look = {},
): Html {
  return html`<button type="button" class="${style}" data-do="${JSON.stringify(act)}"${disabled && html` disabled`}>${label}</button>`;
}
