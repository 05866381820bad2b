import type { Who } from '../../messages/text/copy.ts';
import type { Bot } from '../bot.ts';
import type { Workspace } from '../model/people.ts';

/** Returns a person with the name that Slack shows, or with their id: a missing name must not cost the answer. Never throws. */
export async function whoOf(
  { slack }: Pick<Bot, 'slack'>,
  { enterpriseId, teamId }: Workspace,
  userId: string,
): Promise<Who> {
  const profile = await slack.profileOf({ enterpriseId, teamId, userId }).catch(() => null);
  return { userId, name: profile?.name ?? userId };
}

/** Returns the names of several people of one workspace by user id. Each person is looked up once. */
export async function namesOf(
  bot: Pick<Bot, 'slack'>,
  workspace: Workspace,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = [...new Set(userIds)].map((userId) => whoOf(bot, workspace, userId));
  return new Map((await Promise.all(found)).map(({ userId, name }) => [userId, name]));
}

/** As Slack sends one in a typed command (Slack: `should_escape`): the label is missing for some people. */
const mention = /<@([UW][A-Z0-9]{1,30})(?:\|([^>]*))?>/g;

const groupMention = /<!subteam\^\w+(?:\|@?([^>]*))?>/g;

/** How many people of one line are looked up: Slack allows about 100 such questions a minute in a workspace. */
const mostNamed = 20;

/** Returns a command with a name for each mention, which Slack does not resolve in code. `userId`: the reader, if they typed it; becomes `me`. */
export async function withMentionsNamed(
  bot: Pick<Bot, 'slack'>,
  { userId: typist, ...workspace }: Workspace & { readonly userId: string | null },
  line: string,
): Promise<string> {
  const found = [...line.matchAll(mention)].flatMap(([, userId = '', label]) =>
    label || userId === typist ? [] : userId,
  );
  const names = await namesOf(bot, workspace, found.slice(0, mostNamed));
  const named = line.replace(groupMention, (_, label?: string) => `@${label || 'group'}`);
  return named.replace(mention, (_, userId: string, label?: string) => {
    if (userId === typist) return 'me';
    const name = label || names.get(userId);
    return `@${name === undefined || name === userId ? 'someone' : name}`;
  });
}
