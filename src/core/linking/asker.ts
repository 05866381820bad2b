import type { Profile, ProfileOf, SlackPerson, Workspace } from '../model/people.ts';

/** Who asked for a link in Slack, in words that let the person at the browser recognize themselves. */
export type Asker = { readonly personName: string; readonly workspaceName: string };

export type AskerDeps = {
  /** Returns the profile of a few seconds ago at most: it decides whether the person may link, and to which address. */
  readonly currentProfileOf: ProfileOf;
  /** Returns the workspace's name; throws if Slack cannot be asked. */
  readonly workspaceNameOf: (workspace: Workspace) => Promise<string>;
};

/** Looks up who asked. Throws if Slack cannot be asked. */
export async function askerOf(
  deps: AskerDeps,
  person: SlackPerson,
): Promise<{ readonly asker: Asker; readonly profile: Profile }> {
  const [profile, workspaceName] = await Promise.all([
    deps.currentProfileOf(person),
    deps.workspaceNameOf(person),
  ]);
  return { asker: { personName: profile.name, workspaceName }, profile };
}
