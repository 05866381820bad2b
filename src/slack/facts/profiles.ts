import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { IsAdmin } from '../../core/access/admins.ts';
import type { Profile, ProfileOf, SlackPerson, Workspace } from '../../core/model/people.ts';
import { knownZone } from '../../core/model/time-zone.ts';
import { type Records, recorded } from '../../lib/records.ts';
import type { WebClients } from '../installing/web-clients.ts';
import { outcomeOf } from '../posting/post-outcomes.ts';

/** What is kept of a profile for a while, so that Slack is not asked at each command. */
export const profileSchema = z.object({
  name: z.string(),
  email: z.string().nullable(),
  zone: z.string(),
  standing: z.enum(['member', 'guest', 'stranger', 'bot', 'deactivated']),
});

/** The result of a search by e-mail address. */
export const personByEmailSchema = z.object({ userId: z.string().nullable(), name: z.string().nullable() });
export type PersonByEmail = z.infer<typeof personByEmailSchema>;

export type ProfilesDeps = {
  readonly clients: WebClients;
  readonly profiles: Pick<Records<Profile>, 'get' | 'set'>;
  /** Whether people are admins. */
  readonly admins: Pick<Records<boolean>, 'get' | 'set'>;
  readonly peopleByEmail: Pick<Records<PersonByEmail>, 'get' | 'set'>;
};

type SlackUser = NonNullable<Awaited<ReturnType<WebClient['users']['info']>>['user']>;

/** People as Slack knows them. */
export function makeProfiles({ clients, profiles, admins, peopleByEmail }: ProfilesDeps) {
  const profileOf: ProfileOf = (person) =>
    recorded(profiles, keyOf(person), async () => profileFrom(await lookAt(person), person));
  const isAdmin: IsAdmin = (person) =>
    recorded(admins, keyOf(person), async () => isAdminOf(await lookAt(person), person));

  async function lookAt(person: SlackPerson): Promise<SlackUser> {
    const { client } = await clients(person);
    return (await client.users.info({ user: person.userId })).user ?? {};
  }

  /** Finds a full member by the e-mail address of their Slack profile; null if that scope was declined. */
  async function byEmail(workspace: Workspace, email: string): Promise<PersonByEmail> {
    const key = `${workspace.teamId}/${email.toLowerCase()}`;
    const kept = await peopleByEmail.get(key);
    if (kept) return kept;
    const found = await lookUp(workspace, email);
    if (found) await peopleByEmail.set(key, found);
    return found ?? { userId: null, name: null };
  }

  async function lookUp(workspace: Workspace, email: string): Promise<PersonByEmail | null> {
    const { client, identity } = await clients(workspace);
    if (identity.scopes && !identity.scopes.includes('users:read.email')) return null;
    try {
      const { user } = await client.users.lookupByEmail({ email });
      return { userId: user?.id ?? null, name: user ? nameOf(user) : null };
    } catch (error) {
      // Only "nobody has this address" is cached; any other failure may pass.
      return outcomeOf(error).error === 'users_not_found' ? { userId: null, name: null } : null;
    }
  }

  return { profileOf, isAdmin, byEmail };
}

/** By workspace: of an organization's workspaces a person may administer one and be an ordinary member of another. */
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

/** Whether Slack says that a full member is an admin or owner of their workspace. */
export function isAdminOf(user: SlackUser, person: SlackPerson): boolean {
  return (user.is_admin === true || user.is_owner === true) && standingOf(user, person) === 'member';
}

/** The person's standing in their workspace. */
export function standingOf(user: SlackUser, person: SlackPerson): Profile['standing'] {
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

/** The name that people see in Slack. */
export function nameOf(user: SlackUser): string | null {
  return user.profile?.display_name || user.profile?.real_name || user.real_name || user.name || null;
}
