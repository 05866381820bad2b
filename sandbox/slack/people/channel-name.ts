import type { Channel } from '../directory.ts';

/** What commands and clicks see as the channel's name (captured payloads; the docs do not say). */
export function channelNameInPayload({ kind, name }: Channel): string {
  const names = { public: name, private: 'privategroup', im: 'directmessage', mpim: `mpdm-${name}` };
  return names[kind];
}
