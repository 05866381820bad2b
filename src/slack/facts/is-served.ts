import type { Workspace } from '../../core/model/people.ts';
import type { WebClients } from '../installing/web-clients.ts';

/** Asks Slack whether the bot's token works in a workspace; any failure counts as no. */
export function makeIsServed({ clients }: { readonly clients: WebClients }) {
  return async (workspace: Workspace): Promise<boolean> => {
    try {
      const { client } = await clients(workspace);
      return (await client.auth.test()).ok;
    } catch {
      return false;
    }
  };
}
