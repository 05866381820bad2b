import type { Ids } from './ids.ts';
import { limits } from './limits.ts';

export interface ResponseUrl {
  /** The path below the practice Slack's origin. */
  path: string;
  teamId: string;
  channelId: string;
  userId: string;
  /** Id of the message whose button was clicked; undefined for commands, forms and shortcuts. */
  messageId: string | undefined;
  issuedAt: number;
  uses: number;
}

export type NewResponseUrl = Pick<ResponseUrl, 'teamId' | 'channelId' | 'userId' | 'messageId'> & {
  /** The first path segment: Slack uses `commands`, `actions` or `app`. */
  kind: 'commands' | 'actions' | 'app';
};

/** Response URLs, each valid for 5 uses within 30 minutes. */
export function makeResponseUrls({ now, ids }: { now: () => number; ids: Ids }) {
  const issued = new Map<string, ResponseUrl>();
  return {
    issue({ kind, ...whose }: NewResponseUrl): ResponseUrl {
      const path = `/hooks/${kind}/${whose.teamId}/${ids.passing('R')}/${ids.secret()}`;
      const url: ResponseUrl = { path, ...whose, issuedAt: now(), uses: 0 };
      issued.set(path, url);
      return url;
    },
    find: (path: string): ResponseUrl | undefined => issued.get(path),
    /** Counts one use. Returns undefined if it is allowed, otherwise Slack's error code. */
    use(url: ResponseUrl): 'expired_url' | 'used_url' | undefined {
      if (now() - url.issuedAt > limits.responseUrlLifeMs) return 'expired_url';
      if (url.uses >= limits.responseUrlUses) return 'used_url';
      url.uses += 1;
      return undefined;
    },
  };
}
