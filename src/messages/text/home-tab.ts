import type { HomeView, KnownBlock } from '@slack/types';
import { actionIds, callbackIds } from './action-ids.ts';
import { limits } from './limits.ts';
import { button, plainText } from './message.ts';

/** Makes a Home tab. `metadata` comes back with every press in it. */
export function homeTab(metadata: string, blocks: KnownBlock[]): HomeView {
  return { type: 'home', callback_id: callbackIds.home, private_metadata: metadata, blocks };
}

/** Makes the large heading of a screen. */
export function header(text: string): KnownBlock {
  return { type: 'header', text: plainText(text, limits.headerText) };
}

/** Makes the button that leads from an admin screen back to the person's own subscriptions. */
export const backButton = button(actionIds.workspaceBack, '← My subscriptions');
