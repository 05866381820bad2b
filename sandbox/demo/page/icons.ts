import { Html } from './html.ts';

/** Drawn on a 20 by 20 grid, in the color of the adjacent text. */
const PATHS = {
  hash: 'M8 3 6.5 17M13.5 3 12 17M4 7.5h13M3 12.5h13',
  lock: 'M5.5 9h9v7.5h-9zM7.5 9V6.5a2.5 2.5 0 0 1 5 0V9',
  folder: 'M2.5 5.5v10h15V7H9.5L8 5.5z',
  file: 'M5 2.5h6.5L15 6v11.5H5zM11.5 2.5V6H15',
  project: 'M3 17.5v-9l7-6 7 6v9zM8 17.5v-5h4v5',
  session: 'M3 4h14v9.5H9L5.5 16.5v-3H3z',
  copy: 'M7.5 7.5h9v9h-9zM12.5 7.5v-4h-9v9h4',
  eye: 'M2 10s3-5 8-5 8 5 8 5-3 5-8 5-8-5-8-5zm8-2a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  send: 'M3 10 2.5 3.5l15 6.5-15 6.5zm0 0h7',
  bolt: 'M11 2 4 11.5h5L8.5 18 16 8.5h-5z',
  check: 'M4 10.5 8 14.5l8-9',
  close: 'm5 5 10 10M15 5 5 15',
  clock: 'M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15zM10 5.5V10l3 2',
  down: 'm5 7.5 5 5 5-5',
} as const;

export type IconName = keyof typeof PATHS;

/** Renders a decorative icon: the text beside it says the same. */
export function icon(name: IconName): Html {
  return new Html(
    `<svg class="icon" viewBox="0 0 20 20" aria-hidden="true"><path d="${PATHS[name]}"/></svg>`,
  );
}

/** The bot's icon: a beam cast from a plan. */
export const botFace = new Html(
  '<svg class="face" viewBox="0 0 36 36" aria-hidden="true"><rect width="36" height="36" rx="8" fill="#0f766e"/>' +
    '<path d="M9 26V12l9-4 9 4v14" fill="none" stroke="#fff" stroke-width="2.4" stroke-linejoin="round"/>' +
    '<path d="M14 26v-8h8v8" fill="none" stroke="#99f6e4" stroke-width="2.4" stroke-linejoin="round"/></svg>',
);
