import type { Channel } from '../../core/model/people.ts';
import type { Records } from '../../lib/records.ts';
import { channelsKey } from './channels-of.ts';
import { inChannelKey } from './in-channel.ts';

type ForgetMemberDeps = {
  readonly inChannel: Pick<Records<true>, 'delete'>;
  readonly channelsOf: Pick<Records<unknown>, 'delete'>;
};

/** Clears the cached channels of a person who left a channel, since they may no longer see its subscriptions. */
export function makeForgetMember({ inChannel, channelsOf }: ForgetMemberDeps) {
  return async (channel: Channel, userId: string): Promise<void> => {
    const person = { ...channel, userId };
    await Promise.all([
      inChannel.delete(inChannelKey(person, channel.channelId)),
      channelsOf.delete(channelsKey(person)),
    ]);
  };
}
