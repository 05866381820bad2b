import type { SlashCommand } from '@slack/bolt';
import type { ContextFacts } from '../../core/access/command-context.ts';
import { isDirect } from '../../core/model/people.ts';

/** The fields of an interaction that the bot reads. Which are present depends on the kind of interaction. */
export type InteractionBody = {
  readonly user: { readonly id: string; readonly team_id?: string | undefined };
  readonly team?: { readonly id: string; readonly enterprise_id?: string | undefined } | null | undefined;
  readonly enterprise?: { readonly id: string } | null | undefined;
  readonly channel?: { readonly id?: string | undefined; readonly name?: string | undefined } | undefined;
  readonly container?:
    | {
        readonly channel_id?: unknown;
        readonly message_ts?: unknown;
        readonly is_ephemeral?: unknown;
        readonly is_app_unfurl?: unknown;
      }
    | undefined;
  readonly response_url?: string | undefined;
  readonly trigger_id?: string | undefined;
};

/** Returns who clicked where; null for people from another organization, who can see and press the buttons in a shared channel. */
export function factsOfInteraction(body: InteractionBody): ContextFacts | null {
  const enterpriseId = body.enterprise?.id ?? body.team?.enterprise_id ?? null;
  const teamId = body.team?.id ?? body.user.team_id ?? null;
  if (teamId === null) return null;
  const { team_id: home } = body.user;
  if (home !== undefined && home !== teamId && home !== enterpriseId && enterpriseId === null) return null;
  const container = body.container?.channel_id;
  const channelId = body.channel?.id ?? (typeof container === 'string' ? container : null);
  return {
    person: { enterpriseId, teamId, userId: body.user.id },
    channelId,
    madeInChannel: true,
    inGroupMessage: isGroupMessage(body.channel?.name),
    inPublicMessage: isPublic(body.container) && channelId !== null && !isDirect(channelId),
    responseUrl: body.response_url ?? null,
    triggerId: body.trigger_id ?? null,
  };
}

/** Everyone who can read a message sees the previews below it. */
function isPublic(container: InteractionBody['container']): boolean {
  return container?.is_ephemeral === false || container?.is_app_unfurl === true;
}

/** Slack names a group direct message after its people: `mpdm-dana--sam--lee-1`. */
function isGroupMessage(channelName: string | undefined): boolean {
  return channelName?.startsWith('mpdm-') === true;
}

/** Returns who typed a command, and where. */
export function factsOfCommand(body: SlashCommand): ContextFacts {
  return {
    person: { enterpriseId: body.enterprise_id || null, teamId: body.team_id, userId: body.user_id },
    channelId: body.channel_id,
    madeInChannel: true,
    inGroupMessage: isGroupMessage(body.channel_name),
    responseUrl: body.response_url,
    triggerId: body.trigger_id,
  };
}
