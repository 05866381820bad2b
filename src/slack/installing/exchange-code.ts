import type { Installation } from '@slack/oauth';
import { WebAPIPlatformError } from '@slack/web-api';
import type { Exchange, Installed } from '../../core/installing/finish-install.ts';
import { outcomeOf } from '../posting/post-outcomes.ts';
import { installationId } from './installations.ts';
import type { SlackOAuth } from './oauth.ts';

/** Exchanges an installation's code for a token and stores the result. Throws only if storing fails. */
export function makeExchangeCode(deps: {
  readonly oauth: Pick<SlackOAuth, 'exchange'>;
  readonly store: (installation: Installation) => Promise<void>;
}) {
  return async (code: string): Promise<Exchange> => {
    let installation: Installation;
    try {
      installation = await deps.oauth.exchange(code);
    } catch (cause) {
      return { outcome: isRefusal(cause) ? 'refused' : 'unavailable', cause };
    }
    await deps.store(installation);
    return { outcome: 'installed', installed: installedIn(installation) };
  };
}

/** Whether Slack rejected the code; false if it failed for a while, or something else than Slack answered. */
function isRefusal(cause: unknown): boolean {
  if (!(cause instanceof WebAPIPlatformError)) return false;
  const outcome = outcomeOf(cause);
  return outcome.kind === 'perhaps' ? outcome.unknown === true : outcome.kind !== 'wait';
}

function installedIn(installation: Installation): Installed {
  const { isEnterpriseInstall, enterprise, team, appId, user } = installation;
  return {
    kind: isEnterpriseInstall ? 'organization' : 'workspace',
    id: installationId(installation),
    name: (isEnterpriseInstall ? enterprise?.name : team?.name) ?? null,
    appId: appId ?? null,
    userId: user.id,
  };
}
