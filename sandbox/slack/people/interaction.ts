import { type BotAnswer, type Deliver, FORM, type Tampering } from '../deliver.ts';
import type { User, Workspace } from '../directory.ts';
import type { Fields } from '../json.ts';
import type { Message } from '../messages.ts';
import type { State } from '../state.ts';

/** Options of every user action. */
export interface Doing {
  /** Set this to repeat the same action. */
  triggerId?: string | undefined;
  tamper?: Tampering | undefined;
  /** Top-level payload fields to override or, if undefined, to omit. */
  overrides?: Fields | undefined;
}

/** What was sent, and the bot's immediate response. */
export interface Done extends BotAnswer {
  payload: Fields;
  triggerId: string | undefined;
  /** The full address, if the payload had one. */
  responseUrl: string | undefined;
  /** Sends the same request again, freshly signed, like a person's second click or an attacker's replay. */
  replay(tamper?: Tampering): Promise<Done>;
}

/** The dependencies of user actions. */
export interface Stage {
  state: State;
  deliver: Deliver;
  /** The practice Slack's own origin, without a trailing slash. */
  origin: () => string;
}

/** The deprecated field `token`, which a bot must not rely on. */
export const VERIFICATION_TOKEN = 'practice-verification-token';

/** Returns the payload fields that say who acted and where. */
export function envelopeOf(
  { state }: Stage,
  { user, workspace }: { user: User; workspace: Workspace },
): Fields {
  const { teamId, domain, enterpriseId, enterpriseName, isEnterpriseInstall } = workspace;
  const enterprise = enterpriseId === undefined ? null : { id: enterpriseId, name: enterpriseName };
  return {
    user: { id: user.id, username: user.name, name: user.name, team_id: user.teamId },
    api_app_id: state.app.appId,
    token: VERIFICATION_TOKEN,
    team: {
      id: teamId,
      domain,
      ...(enterpriseId !== undefined && { enterprise_id: enterpriseId, enterprise_name: enterpriseName }),
    },
    enterprise,
    is_enterprise_install: isEnterpriseInstall,
  };
}

export interface Interaction {
  payload: Fields;
  doing: Doing;
  /** What Slack does with the response. */
  settle?: ((answer: BotAnswer) => void) | undefined;
}

/** Removes undefined fields, as JSON would. */
function tidy(payload: Fields): Fields {
  return Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined));
}

/** Sends an interaction: one form field, `payload`, that contains JSON. */
export async function sendInteraction(stage: Stage, { payload, doing, settle }: Interaction): Promise<Done> {
  const said = tidy({ ...payload, ...doing.overrides });
  const body = new URLSearchParams({ payload: JSON.stringify(said) }).toString();
  const send = async (tamper: Tampering | undefined): Promise<Done> => {
    const answer = await stage.deliver({ contentType: FORM, body, tamper });
    settle?.(answer);
    return {
      ...answer,
      payload: said,
      triggerId: typeof said.trigger_id === 'string' ? said.trigger_id : undefined,
      responseUrl: typeof said.response_url === 'string' ? said.response_url : undefined,
      replay: send,
    };
  };
  return await send(doing.tamper);
}

export interface NoteToPerson {
  teamId: string;
  channelId: string;
  userId: string;
  text: string;
}

/** Posts Slack's own notice to one person that the app did not respond correctly. */
export function postToPerson({ state }: Stage, { teamId, channelId, userId, text }: NoteToPerson): Message {
  const content = { text, blocks: undefined, attachments: undefined, metadata: undefined };
  return state.messages.post({ teamId, channelId, viewerId: userId, content, via: 'slack' });
}

/** Returns the failure in Slack's words, or undefined if the bot responded with 2xx. */
export function failureOf({ status, failure }: BotAnswer): string | undefined {
  if (failure !== undefined) return failure;
  return status >= 200 && status < 300 ? undefined : 'dispatch_failed';
}
