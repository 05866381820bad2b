import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import { knownZone } from '../../core/model/local-time.ts';
import type { Profile, SlackPerson, Workspace } from '../../core/model/people.ts';
import { type NamedPerson, PersonUnknown } from '../../core/slack.ts';
import { dayMs, minuteMs, within } from '../../lib/durations.ts';
import { makeRemember, recorded } from '../../lib/records.ts';
import { outcomeOf } from '../posting/post-outcomes.ts';
import type { SlackApi } from '../slack-port.ts';
import { pagesOf } from './pages.ts';

const profileSchema = z.object({
  name: z.string(),
  email: z.string().nullable(),
  zone: z.string(),
  standing: z.enum(['member', 'guest', 'stranger', 'bot', 'deactivated']),
});

/** Profiles, so that Slack is not asked on every command. */
const profiles = { namespace: 'profiles', ttlMs: 10 * minuteMs, schema: profileSchema };

/** The same and whether they are admins, kept for seconds only, for decisions about rights. */
const current = {
  namespace: 'current',
  ttlMs: minuteMs / 12,
  schema: z.object({ profile: profileSchema, isAdmin: z.boolean() }),
};

/** The results of searches by email address. */
const peopleByEmail = {
  namespace: 'people-by-email',
  ttlMs: dayMs,
  schema: z.object({ userId: z.string().nullable(), name: z.string().nullable() }),
};
type PersonByEmail = z.infer<typeof peopleByEmail.schema>;

/** How long Slack is not asked again for a profile that it failed to return: each failing call costs a channel's turn 10 s. */
const failing = { forMs: minuteMs, most: 1_000 };

/** How long to wait for Slack if there is an older answer: a form must be opened or answered within three seconds. */
const answersWithinMs = 1_000;
/** Slack's errors for a person that the bot cannot see, or no longer. */
const knowsNobody: ReadonlySet<string> = new Set(['user_not_found', 'user_not_visible']);

type SlackUser = NonNullable<Awaited<ReturnType<WebClient['users']['info']>>['user']>;

/** Stands for somebody whom Slack does not know, or shows to the bot no longer. */
const nobody: Profile = { name: '', email: null, zone: 'Etc/UTC', standing: 'deactivated' };

/** Makes a function that returns a profile of the last minutes; null, for a minute, if Slack did not say. It never throws. */
export function makeRecentProfileOf(api: SlackApi) {
  const recentProfile = makeRemember<Profile | null>({
    ...failing,
    now: () => api.clock.now().getTime(),
  });
  return (person: SlackPerson): Promise<Profile | null> =>
    recentProfile(`${person.teamId}/${person.userId}`, () =>
      profileOf(api, person).catch((error: unknown) => (isGone(error) ? nobody : null)),
    );
}

/** Returns a person's profile, kept for minutes. Throws `PersonUnknown`. */
export async function profileOf(api: SlackApi, person: SlackPerson): Promise<Profile> {
  return (await api.records(profiles).get(keyOf(person))) ?? (await currentOf(api, person)).profile;
}

/** Whether a person is an admin or owner, kept for seconds, so that a demotion counts at once. Throws if Slack cannot be asked. */
export async function isAdmin(api: SlackApi, person: SlackPerson): Promise<boolean> {
  return (await currentOf(api, person)).isAdmin;
}

/** Returns a person's profile, kept for seconds, for decisions about rights. Throws `PersonUnknown`. */
export async function currentProfileOf(api: SlackApi, person: SlackPerson): Promise<Profile> {
  const asked = currentOf(api, person);
  try {
    return (await within(answersWithinMs, asked)).profile;
  } catch (error) {
    // While Slack cannot be asked, the bot works with what Slack said some minutes ago.
    const kept = isGone(error) ? undefined : await api.records(profiles).get(keyOf(person));
    return kept ?? (await asked).profile;
  }
}

/** Whether a profile is missing because Slack knows nobody with that id, and not because it did not say. */
function isGone(error: unknown): boolean {
  return error instanceof PersonUnknown && knowsNobody.has(outcomeOf(error.cause).error);
}

function currentOf(api: SlackApi, person: SlackPerson): Promise<z.infer<typeof current.schema>> {
  return recorded(api.records(current), keyOf(person), async () => {
    const user = await lookAt(api, person);
    const profile = profileFrom(user, person);
    await api.records(profiles).set(keyOf(person), profile);
    return { profile, isAdmin: isAdminOf(user, person) };
  });
}

async function lookAt({ clientOf }: SlackApi, person: SlackPerson): Promise<SlackUser> {
  const { client } = await clientOf(person);
  const { user } = await client.users.info({ user: person.userId }).catch((cause: unknown) => {
    throw new PersonUnknown('Slack did not say who a person is', { cause });
  });
  // Otherwise a person that Slack says nothing about would count as a member.
  if (!user) throw new PersonUnknown('Slack’s answer does not describe the person');
  return user;
}

/** A burst looks up the same few names again and again. */
const remembered = { forMs: minuteMs, most: 1_000, now: () => performance.now() };

/** Makes a function that returns the name to show for an email address, or null. Without `mayAsk`, only what is kept counts. */
export function makeNameOf(api: SlackApi) {
  const recent = makeRemember<string | null>(remembered);
  return async (workspace: Workspace, email: string, mayAsk = true): Promise<string | null> => {
    const ask = async () => (await byEmail(api, workspace, email, mayAsk)).name;
    return mayAsk ? recent(JSON.stringify([workspace.enterpriseId, workspace.teamId, email]), ask) : ask();
  };
}

/** Finds a person by the email address in their Slack profile; nobody if Slack cannot be asked, may not be, or the scope was declined. */
async function byEmail(
  api: SlackApi,
  workspace: Workspace,
  email: string,
  mayAsk: boolean,
): Promise<PersonByEmail> {
  const key = `${workspace.teamId}/${email.toLowerCase()}`;
  const kept = await api.records(peopleByEmail).get(key);
  if (kept) return kept;
  const found = mayAsk ? await lookUp(api, workspace, email) : null;
  if (found) await api.records(peopleByEmail).set(key, found);
  return found ?? { userId: null, name: null };
}

async function lookUp(
  { clientOf }: SlackApi,
  workspace: Workspace,
  email: string,
): Promise<PersonByEmail | null> {
  try {
    const { client, identity } = await clientOf(workspace);
    if (identity.scopes && !identity.scopes.includes('users:read.email')) return null;
    const { user } = await client.users.lookupByEmail({ email });
    return { userId: user?.id ?? null, name: user ? nameOf(user) : null };
  } catch (error) {
    // Keep only "nobody has this address"; any other failure may be temporary.
    return outcomeOf(error).error === 'users_not_found' ? { userId: null, name: null } : null;
  }
}

/** Keyed by workspace, since a person can be an admin in one workspace of an organization and an ordinary member in another. */
function keyOf({ teamId, userId }: SlackPerson): string {
  return `${teamId}/${userId}`;
}

function profileFrom(user: SlackUser, person: SlackPerson): Profile {
  return {
    name: nameOf(user) ?? person.userId,
    email: user.profile?.email?.toLowerCase() ?? null,
    zone: knownZone(user.tz),
    standing: standingOf(user, person),
  };
}

/** Whether a person is a full member and an admin or owner of their workspace. */
function isAdminOf(user: SlackUser, person: SlackPerson): boolean {
  return (user.is_admin === true || user.is_owner === true) && standingOf(user, person) === 'member';
}

function standingOf(user: SlackUser, person: SlackPerson): Profile['standing'] {
  if (user.deleted) return 'deactivated';
  if (user.is_bot) return 'bot';
  if ('is_stranger' in user && user.is_stranger === true) return 'stranger';
  if (isFromElsewhere(user, person)) return 'stranger';
  return user.is_restricted || user.is_ultra_restricted ? 'guest' : 'member';
}

/** Whether a person belongs to another workspace; other workspaces of the same organization do not count. */
function isFromElsewhere(user: SlackUser, { teamId, enterpriseId }: Workspace): boolean {
  if (!user.team_id || user.team_id === teamId || user.team_id === enterpriseId) return false;
  return enterpriseId === null || user.enterprise_user?.enterprise_id !== enterpriseId;
}

/** Returns the name that Slack shows for a person; null if there is none. */
function nameOf(user: SlackUser): string | null {
  return user.profile?.display_name || user.profile?.real_name || user.real_name || user.name || null;
}

const peopleSchema = z.array(z.object({ userId: z.string(), name: z.string(), isAdmin: z.boolean() }));
const keptPeople = { namespace: 'people-in', ttlMs: 10 * minuteMs, schema: peopleSchema };
type Listed = z.infer<typeof peopleSchema>;

/** At most this many admins are named or asked. */
const mostAdmins = 20;
/** Slack recommends at most 200 people per page and allows 20 pages a minute (`users.list`). */
const peopleAPage = 200;
/** The most pages to read. In a larger workspace, people beyond them are not found. */
const pagesRead = 10;

/** Each keystroke asks. A list that Slack did not finish is kept for this long, too, or the next keystrokes would use up what it allows. */
const listsRemembered = { forMs: minuteMs, most: 1_000, now: () => performance.now() };

/** A list of people that may still grow until `ended`, which never rejects. */
type Listing = { readonly found: Listed; readonly ended: Promise<void> };

/** Names the people of a workspace, and its admins and owners, but no bots; one list of each workspace is read at a time. Never throws. */
export function makePeople(api: SlackApi) {
  const listings = makeRemember<Listing>(listsRemembered);
  const listingOf = (workspace: Workspace) => listings(workspace.teamId, async () => listed(api, workspace));
  return {
    /** Returns those whom Slack has named within so many milliseconds, and more when asked again. */
    peopleIn: async (workspace: Workspace, withinMs: number): Promise<readonly NamedPerson[]> => {
      const { found, ended } = await listingOf(workspace);
      await within(withinMs, ended).catch(() => undefined);
      return found;
    },
    /** Returns no more than can be asked at once; none if Slack does not say. */
    adminsOf: async (workspace: Workspace): Promise<readonly NamedPerson[]> => {
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
  const known = await records(keptPeople).get(teamId);
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
  await records(keptPeople).set(teamId, found);
}
