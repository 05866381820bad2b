import type { ModalView } from '@slack/types';
import type { AnyRequest } from '../../core/model/any-request.ts';
import { type Who, whoIs } from '../text/copy.ts';
import { type Message, notice, section } from '../text/message.ts';
import {
  actionIds,
  callbackIds,
  channelPicker,
  chosenIn,
  type FieldOf,
  input,
  modal,
  optionsOf,
  personPicker,
  radioButtons,
} from '../text/modal.ts';
import { channel, counted, type Phrase, say } from '../text/phrase.ts';

const kinds = { channel: 'A channel', person: 'A person' };

/** Makes the form with which an admin removes all data of a channel or a person. */
export function removeDataForm(): ModalView {
  return modal({
    callbackId: callbackIds.removeData,
    title: 'Remove data',
    submit: 'Remove permanently',
    blocks: [
      section([
        say`Ends a channel’s subscriptions, or a person’s subscriptions and link, and removes stored names, paths and emails.`,
        say`Messages in Slack and the audit log stay. This can’t be undone.`,
      ]),
      input(actionIds.removeDataOf, {
        label: 'Whose data?',
        element: radioButtons(optionsOf(kinds), 'channel'),
      }),
      input(actionIds.removeDataChannel, {
        label: 'Channel',
        optional: true,
        element: channelPicker('Choose a channel'),
      }),
      input(actionIds.removeDataPerson, {
        label: 'Person',
        optional: true,
        element: personPicker('Choose a person'),
      }),
    ],
  });
}

/** Reads the form: what to remove, or that nothing was chosen, by block (Slack: response_action "errors"). */
export function readRemoveDataForm(
  fieldOf: FieldOf,
): { readonly request: AnyRequest } | { readonly errors: Readonly<Record<string, string>> } {
  if (chosenIn(fieldOf(actionIds.removeDataOf))[0] === 'person') {
    const userId = fieldOf(actionIds.removeDataPerson)?.selected_user;
    if (!userId) return { errors: { [actionIds.removeDataPerson]: 'Choose a person.' } };
    return { request: { act: 'remove-person', userId } };
  }
  const channelId = fieldOf(actionIds.removeDataChannel)?.selected_conversation;
  if (!channelId) return { errors: { [actionIds.removeDataChannel]: 'Choose a channel.' } };
  return { request: { act: 'remove-channel', channelId } };
}

/** All data of a channel or a person has been removed. `isElsewhere`: the channel has subscriptions of another workspace, which stay. */
export function dataRemoved(
  of:
    | { readonly kind: 'channel'; readonly channelId: string; readonly isElsewhere: boolean }
    | { readonly kind: 'person'; readonly who: Who },
  subscriptions: number,
): Message {
  const whose = of.kind === 'channel' ? [channel(of.channelId)] : whoIs(of.who);
  const ended: Phrase = subscriptions === 0 ? [] : say` ${counted(subscriptions, 'subscription')} ended.`;
  if (of.kind === 'channel' && of.isElsewhere) {
    return notice`Removed this workspace’s data of ${whose}.${ended} Its subscriptions belong to another workspace of your organization: ask an admin there to remove their data.`;
  }
  return notice`Removed the data of ${whose}.${ended}`;
}
