import type { Request } from '../model/request.ts';
import type { CommandContext } from './command-context.ts';

/**
 * Whether somebody may change what a channel follows; who may not has been told. `request` is what they ask for, null for what has no
 * words of its own.
 */
export type MayChange = (context: CommandContext, request: Request | null) => Promise<boolean>;
