import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { Profile, ProfileOf, SlackPerson, Workspace } from '../../core/model/people.ts';
import { knownZone } from '../../core/model/time-zone.ts';
import { type IsAdmin, PersonUnknown } from '../../core/slack.ts';
import { type Records, recorded } from '../../lib/records.ts';
import { within } from '../../lib/within.ts';
import type { WebClients } from '../installing/web-clients.ts';
import { outcomeOf } from '../posting/post-outcomes.ts';

/** The cached part of a profile, so that Slack is not asked on every command. */
export const profileSchema = z.object({
  name: z.string(),
  email: z.string().nullable(),
  zone: z.string(),
  standing: z.enum(['member', 'guest', 'stranger', 'bot', 'deactivated']),
});

/** What was true of a person a few seconds ago. */
export const currentSchema = z.object({ profile: profileSchema, isAdmin: z.boolean() });
type Current = z.infer<typeof currentSchema>;

/** The cached result of a search by email address. */
export const personByEmailSchema = z.object({ userId: z.string().nullable(), name: z.string().nullable() });
type PersonByEmail = z.infer<typeof personByEmailSchema>;

type ProfilesDeps = {
  readonly clients: WebClients;
  readonly profiles: Pick<Records<Profile>, 'get' | 'set'>;
  /** The same and whether they are admins, kept for seconds only, for decisions about rights. */
  readonly current: Pick<Records<Current>, 'get' | 'set'>;
  readonly peopleByEmail: Pick<Records<PersonByEmail>, 'get' | 'set'>;
};

/** How long to wait for Slack if there is an older answer: a form must be opened or answered within three seconds. */
const answersWithinMs = 1_000;
/** Slack's errors for a person that the bot cannot see, or no longer. */
const knowsNobody: ReadonlySet<string> = new Set(['user_not_found', 'user_not_visible']);

type SlackUser = NonNullable<Awaited<ReturnType<WebClient['users']['info']>>['user']>;

/** Looks up people in Slack and caches the results. */
export function makeProfiles({ clients, profiles, current, peopleByEmail }: ProfilesDeps) {
  const currentOf = (person: SlackPerson): Promise<Current> =>
    recorded(current, keyOf(person), async () => {
      const user = await lookAt(person);
      const profile = profileFrom(user, person);
      await profiles.set(keyOf(person), profile);
      return { profile, isAdmin: isAdminOf(user, person) };
    });
  const profileOf: ProfileOf = async (person) =>
    (await profiles.get(keyOf(person))) ?? (await currentOf(person)).profile;
  const isAdmin: IsAdmin = async (person) => (await currentOf(person)).isAdmin;
  const currentProfileOf: ProfileOf = async (person) => {
    const asked = currentOf(person);
    try {
      return (await within(answersWithinMs, asked)).profile;
    } catch (error) {
      // While Slack cannot be asked, the bot works with what Slack said some minutes ago.
      const isGone = error instanceof PersonUnknown && knowsNobody.has(outcomeOf(error.cause).error);
      const kept = isGone ? undefined : await profiles.get(keyOf(person));
      return kept ?? (await asked).profile;
    }
  };

  async function lookAt(person: SlackPerson): Promise<SlackUser> {
    const { client } = await clients(person);
    const { user } = await client.users.info({ user: person.userId }).catch((cause: unknown) => {
      throw new PersonUnknown('Slack did not say who a person is', { cause });
    });
    // Otherwise a person that Slack says nothing about would count as a member.
    if (!user) throw new PersonUnknown('Slack’s answer does not describe the person');
    return user;
  }

  /** Finds a person by the email address in their Slack profile; nobody if Slack cannot be asked, may not be, or the scope was declined. */
  async function byEmail(workspace: Workspace, email: string, mayAsk = true): Promise<PersonByEmail> {
    const key = `${workspace.teamId}/${email.toLowerCase()}`;
    const kept = await peopleByEmail.get(key);
    if (kept) return kept;
    const found = mayAsk ? await lookUp(workspace, email) : null;
    if (found) await peopleByEmail.set(key, found);
    return found ?? { userId: null, name: null };
  }

  async function lookUp(workspace: Workspace, email: string): Promise<PersonByEmail | null> {
    try {
      const { client, identity } = await clients(workspace);
      if (identity.scopes && !identity.scopes.includes('users:read.email')) return null;
      const { user } = await client.users.lookupByEmail({ email });
      return { userId: user?.id ?? null, name: user ? nameOf(user) : null };
    } catch (error) {
      // Cache only "nobody has this address"; any other failure may be temporary.
      return outcomeOf(error).error === 'users_not_found' ? { userId: null, name: null } : null;
    }
  }

  return { profileOf, currentProfileOf, isAdmin, byEmail };
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
export function isAdminOf(user: SlackUser, person: SlackPerson): boolean {
  return (user.is_admin === true || user.is_owner === true) && standingOf(user, person) === 'member';
}

/** Returns a person's standing in their workspace. */
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
export function nameOf(user: SlackUser): string | null {
  return user.profile?.display_name || user.profile?.real_name || user.real_name || user.name || null;
}
