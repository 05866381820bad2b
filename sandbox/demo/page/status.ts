import type { Progress } from '../progress.ts';
import { type Html, html } from './html.ts';

/** Renders what is running, starting or stopped. */
export function renderStatus({ steps, isReady, isKilled, failure }: Progress): Html {
  if (failure !== undefined)
    return html`<p class="pill failed" role="alert">${failure} End the demo with Ctrl-C and start it again.</p>`;
  if (isKilled) return html`<p class="pill starting" role="status"><span class="dot"></span>Bot killed</p>`;
  if (isReady) return html`<p class="pill ready" role="status"><span class="dot"></span>Ready</p>`;
  const items = steps.map(
    ({ label, done }) =>
      html`<li class="${done ? 'done' : 'open'}">${label}${done && html`<span class="spoken"> is there</span>`}</li>`,
  );
  return html`<p class="pill starting" role="status"><span class="dot"></span>Starting</p><ul class="steps">${items}</ul>`;
}
