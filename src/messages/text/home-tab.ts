import type { Button, HomeView, KnownBlock } from '@slack/types';
import { actionIds, callbackIds } from './action-ids.ts';
import { limits } from './limits.ts';
import { button, plainText } from './message.ts';

/** What stands in a Home tab. `metadata` comes back with whatever is pressed there. */
export function homeTab(metadata: string, blocks: KnownBlock[]): HomeView {
  return { type: 'home', callback_id: callbackIds.home, private_metadata: metadata, blocks };
}

/** The large heading of a screen. */
export function header(text: string): KnownBlock {
  return { type: 'header', text: plainText(text, limits.headerText) };
}

/** Leads from a screen for admins back to their own subscriptions. */
export function backButton(): Button {
  return button({ actionId: actionIds.workspaceBack, label: '← My subscriptions' });
}
