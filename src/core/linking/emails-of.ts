import type { Links } from '../../store/tables/links.ts';
import type { ProfileOf, Workspace } from '../model/people.ts';

/** The addresses that a Slack user may have at the service, in lower case: of their link, and of their profile. */
export type EmailsOf = (workspace: Workspace, userId: string) => Promise<string[]>;

export function makeEmailsOf(deps: {
  readonly links: Pick<Links, 'of'>;
  readonly profileOf: ProfileOf;
}): EmailsOf {
  return async ({ enterpriseId, teamId }, userId) => {
    const person = { enterpriseId, teamId, userId };
    const [link, profile] = await Promise.all([
      deps.links.of(person),
      deps.profileOf(person).catch(() => null),
    ]);
    return [link?.account, profile?.email]
      .filter((email) => email != null)
      .map((email) => email.toLowerCase());
  };
}
