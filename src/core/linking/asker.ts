import type { Profile, SlackPerson } from '../model/people.ts';
import type { LinkingRoomDeps } from './linking-deps.ts';

/** Who asked for a link in Slack, in words that let the person at the browser recognize themselves. */
export type Asker = { readonly personName: string; readonly workspaceName: string };

/** Looks up who asked, to be named; null if Slack cannot be asked. */
export async function namedAsker(deps: LinkingRoomDeps, person: SlackPerson) {
  try {
    return await askerOf(deps, person);
  } catch (error) {
    deps.noteFailure('look up who asked to be linked', error, person);
    return null;
  }
}

/** Looks up who asked. Throws if Slack cannot be asked. */
export async function askerOf(
  deps: LinkingRoomDeps,
  person: SlackPerson,
): Promise<{ readonly asker: Asker; readonly profile: Profile }> {
  const [profile, workspaceName] = await Promise.all([
    deps.currentProfileOf(person),
    deps.workspaceNameOf(person),
  ]);
  return { asker: { personName: profile.name, workspaceName }, profile };
}
