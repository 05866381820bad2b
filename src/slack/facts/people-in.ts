import { z } from 'zod';
import type { Workspace } from '../../core/model/people.ts';
import type { NamedPerson } from '../../core/slack.ts';
import { minuteMs } from '../../lib/durations.ts';
import type { SlackApi } from '../slack-api.ts';
import { pagesOf } from './pages.ts';
import { nameOf } from './profiles.ts';

const kept = {
  namespace: 'people-in',
  ttlMs: 10 * minuteMs,
  schema: z.array(z.object({ userId: z.string(), name: z.string() })),
};

/** Slack recommends at most 200 people per page and allows 20 pages a minute (`users.list`). */
const peopleAPage = 200;
/** The most pages to read. In a larger workspace, people beyond them are not found. */
const pagesRead = 10;

/** Names the people of a workspace, but no bots; an empty list if Slack cannot be asked. */
export async function peopleIn(
  { clientOf, records, log }: SlackApi,
  workspace: Workspace,
): Promise<readonly NamedPerson[]> {
  const known = await records(kept).get(workspace.teamId);
  if (known) return known;
  try {
    const { client } = await clientOf(workspace);
    const query = { team_id: workspace.teamId, limit: peopleAPage };
    const found: NamedPerson[] = [];
    for await (const page of pagesOf(pagesRead, (cursor) => client.users.list({ ...query, ...cursor }))) {
      for (const user of page.members ?? []) {
        const { id: userId } = user;
        // Slack: its own bot is the only one without the flag.
        if (!userId || user.deleted || user.is_bot || userId === 'USLACKBOT') continue;
        found.push({ userId, name: nameOf(user) ?? userId });
      }
    }
    await records(kept).set(workspace.teamId, found);
    return found;
  } catch (error) {
    log.warn({ err: error, team: workspace.teamId }, 'the people of a workspace could not be found');
    return [];
  }
}
