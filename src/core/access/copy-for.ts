import type { Copy } from '../../messages/text/copy.ts';
import type { CommandContext } from './command-context.ts';

/** Returns the copy for a context: the general one, with the commands as they are typed in the person's workspace. */
export function copyFor(copy: Copy): (context: Pick<CommandContext, 'names'>) => Copy {
  return ({ names }) => ({ ...copy, commands: names });
}
