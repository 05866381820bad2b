import { minuteMs } from '../../lib/durations.ts';
import { alreadyLinked, linkOffer } from '../../messages/linking/linking.ts';
import { commandLine } from '../model/commands.ts';
import { formatRequest } from '../model/format-request.ts';
import { withMentionsNamed } from '../model/names-of.ts';
import { personOf } from '../model/people.ts';
import { requestSchema } from '../model/request.ts';
import { attemptOf } from './find-ticket.ts';
import { linkLimits } from './limits.ts';
import type { LinkingRoomDeps } from './linking-deps.ts';
import type { StartLink } from './start-link.ts';

/**
 * Sends the person of a ticket a new link in a direct message, for the command that waited for the old one. The caller learns nothing
 * about the person: anyone can hold an old link. `unknown`: there is no such ticket; `limited`: its person has started too many links. Throws
 * if Slack cannot be reached.
 */
export type SendNewLink = (ticket: string) => Promise<'sent' | 'unknown' | 'not-a-member' | 'limited'>;

export function makeSendNewLink(deps: LinkingRoomDeps & { readonly startLink: StartLink }): SendNewLink {
  const { copy } = deps;
  return async (ticket) => {
    const attempt = await attemptOf(deps, ticket);
    if (attempt === null) return 'unknown';
    const person = personOf(attempt);
    if ((await deps.currentProfileOf(person)).standing !== 'member') return 'not-a-member';

    // After a link, the command is carried out already.
    const waiting = attempt.step === 'done' ? null : attempt.request;
    const request = requestSchema.nullable().catch(null).parse(waiting);
    const { channelId } = attempt;
    const started = await deps.startLink({ person, channelId, responseUrl: null, request });
    if (started.outcome === 'too-many-tries') return 'limited';

    const link = await deps.links.of(person);
    const offer = { copy, url: started.url, minutes: linkLimits.ticket / minuteMs };
    const line = request && commandLine(formatRequest(request), copy.commands);
    const command = line === null ? undefined : await withMentionsNamed(deps.profileOf, person, line);
    await deps.directMessage(
      person,
      link?.state === 'active'
        ? alreadyLinked({ ...offer, account: link.account })
        : linkOffer({ ...offer, why: 'renewed', command }),
    );
    return 'sent';
  };
}
