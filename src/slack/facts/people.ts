import { z } from 'zod';
import type { Workspace } from '../../core/model/people.ts';
import type { Slack } from '../../core/slack.ts';
import { minuteMs, within } from '../../lib/durations.ts';
import { makeRemember } from '../../lib/remember.ts';
import type { SlackApi } from '../slack-api.ts';
import { pagesOf } from './pages.ts';
import { isAdminOf, nameOf } from './profiles.ts';

const schema = z.array(z.object({ userId: z.string(), name: z.string(), isAdmin: z.boolean() }));
const kept = { namespace: 'people-in', ttlMs: 10 * minuteMs, schema };
type Listed = z.infer<typeof schema>;

/** At most this many admins are named or asked. */
const mostAdmins = 20;
/** Slack recommends at most 200 people per page and allows 20 pages a minute (`users.list`). */
const peopleAPage = 200;
/** The most pages to read. In a larger workspace, people beyond them are not found. */
const pagesRead = 10;

/** Each keystroke asks. A list that Slack did not finish is kept for this long, too, or the next keystrokes would use up what it allows. */
const remembered = { forMs: minuteMs, most: 1_000, now: () => performance.now() };

/** A list of people that may still grow until `ended`, which never rejects. */
type Listing = { readonly found: Listed; readonly ended: Promise<void> };

/** Names the people of a workspace, and its admins and owners, but no bots; one list of each workspace is read at a time. */
export function makePeople(api: SlackApi): Pick<Slack, 'peopleIn' | 'adminsOf'> {
  const listings = makeRemember<Listing>(remembered);
  const listingOf = (workspace: Workspace) => listings(workspace.teamId, async () => listed(api, workspace));
  return {
    peopleIn: async (workspace, withinMs) => {
      const { found, ended } = await listingOf(workspace);
      await within(withinMs, ended).catch(() => undefined);
      return found;
    },
    adminsOf: async (workspace) => {
      const { found, ended } = await listingOf(workspace);
      await ended;
      return found.filter(({ isAdmin }) => isAdmin).slice(0, mostAdmins);
    },
  };
}

function listed(api: SlackApi, workspace: Workspace): Listing {
  const found: Listed = [];
  const ended = list(api, workspace, found).catch((error: unknown) => {
    api.log.warn({ err: error, team: workspace.teamId }, 'the people of a workspace could not be found');
  });
  return { found, ended };
}

/** Adds the people of a workspace to `found`, page by page. */
async function list({ clientOf, records }: SlackApi, workspace: Workspace, found: Listed): Promise<void> {
  const { teamId } = workspace;
  const known = await records(kept).get(teamId);
  if (known) return void found.push(...known);
  const { client } = await clientOf(workspace);
  const query = { team_id: teamId, limit: peopleAPage };
  for await (const page of pagesOf(pagesRead, (cursor) => client.users.list({ ...query, ...cursor }))) {
    for (const user of page.members ?? []) {
      const { id: userId } = user;
      // Slack: its own bot is the only one without the flag.
      if (!userId || user.deleted || user.is_bot || userId === 'USLACKBOT') continue;
      const isAdmin = isAdminOf(user, { ...workspace, userId });
      found.push({ userId, name: nameOf(user) ?? userId, isAdmin });
    }
  }
  await records(kept).set(teamId, found);
}
