import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { Workspace } from '../../core/model/people.ts';
import type { NamedPerson } from '../../core/slack.ts';
import { hourMs } from '../../lib/durations.ts';
import type { SlackApi } from '../slack-api.ts';
import { pagesOf } from './pages.ts';
import { isAdminOf, nameOf } from './profiles.ts';

const kept = {
  namespace: 'admins',
  ttlMs: hourMs,
  schema: z.array(z.object({ userId: z.string(), name: z.string() })),
};

/** At most this many admins are named or asked. */
const mostAdmins = 20;
/** Slack recommends at most 200 people per page and allows 20 pages a minute (`users.list`). */
const peopleAPage = 200;
/** The most pages to read. In a larger workspace, admins beyond them are not found. */
const pagesRead = 10;

/** Finds the admins and owners of a workspace; an empty list if Slack cannot be asked. */
export async function adminsOf(
  { clientOf, records, log }: SlackApi,
  workspace: Workspace,
): Promise<readonly NamedPerson[]> {
  const known = await records(kept).get(workspace.teamId);
  if (known) return known;
  try {
    const { client } = await clientOf(workspace);
    const found = await findAdmins(client, workspace);
    await records(kept).set(workspace.teamId, found);
    return found;
  } catch (error) {
    log.warn({ err: error, team: workspace.teamId }, 'the admins of a workspace could not be found');
    return [];
  }
}

async function findAdmins(client: WebClient, workspace: Workspace): Promise<NamedPerson[]> {
  const found: NamedPerson[] = [];
  const query = { team_id: workspace.teamId, limit: peopleAPage };
  for await (const page of pagesOf(pagesRead, (cursor) => client.users.list({ ...query, ...cursor }))) {
    found.push(...(page.members ?? []).flatMap((user) => adminFrom(user, workspace) ?? []));
    if (found.length >= mostAdmins) break;
  }
  return found.slice(0, mostAdmins);
}

type Member = NonNullable<Awaited<ReturnType<WebClient['users']['list']>>['members']>[number];

function adminFrom(user: Member, workspace: Workspace): NamedPerson | null {
  const { id: userId } = user;
  if (!userId || !isAdminOf(user, { ...workspace, userId })) return null;
  return { userId, name: nameOf(user) ?? userId };
}
