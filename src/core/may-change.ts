import type { Asked } from './asked.ts';
import type { Request } from './request.ts';

/**
 * Whether somebody may change what a channel follows; who may not has been told. `request` is what they ask for, null for what has no
 * words of its own. `sure`: it was not asked in the channel itself, so Slack has to say that they are in it.
 */
export type MayChange = (
  asked: Asked,
  request: Request | null,
  options?: { readonly sure?: boolean | undefined },
) => Promise<boolean>;
