import type { Channel } from '../directory.ts';

/** Returns the channel name that commands and clicks carry (from captured payloads; the docs do not say). */
export function channelNameInPayload({ kind, name }: Channel): string {
  const names = { public: name, private: 'privategroup', im: 'directmessage', mpim: `mpdm-${name}` };
  return names[kind];
}
