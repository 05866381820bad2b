import type { ModalView } from '@slack/types';
import { isDirect } from '../../core/model/people.ts';
import { type QuietHours, usualQuiet } from '../../core/model/quiet-hours.ts';
import type { TypedQuiet } from '../../core/model/request.ts';
import { section } from '../text/message.ts';
import {
  actionIds,
  callbackIds,
  checkboxes,
  chosenIn,
  type FieldOf,
  input,
  modal,
  optionsOf,
  radioButtons,
} from '../text/modal.ts';
import { channel, inPlain, type Phrase, plainly, say } from '../text/phrase.ts';
import { typeOptions, typesIn } from './form-fields.ts';

/** On which days. */
const days = {
  every: 'Every day',
  weekends: 'Every day, and all of Saturday and Sunday',
  off: 'Off',
} as const;

/** Makes the form for the quiet hours of a conversation. `hours`: the ones that are set. `zone`: the reader's. */
export function quietForm(form: {
  readonly hours: QuietHours | null;
  readonly zone: string;
  readonly channelId: string;
  readonly metadata: string;
}): ModalView {
  const { hours, zone, channelId, metadata } = form;
  const { from, to, weekends } = hours ?? usualQuiet;
  const where: Phrase = isDirect(channelId) ? say`your direct messages with me` : [channel(channelId)];
  return modal({
    callbackId: callbackIds.quiet,
    metadata,
    title: 'Quiet hours',
    submit: 'Save',
    blocks: [
      section([say`Nothing is posted in ${where} during quiet hours. When they end, I’ll post one summary.`]),
      input(actionIds.quietDays, {
        label: 'Quiet hours',
        element: radioButtons(optionsOf(days), weekends ? 'weekends' : 'every'),
      }),
      input(actionIds.quietFrom, { label: 'From', element: { type: 'timepicker', initial_time: from } }),
      input(actionIds.quietTo, {
        label: 'To',
        hint: inPlain(say`In your time zone (${plainly(zone)})`),
        element: { type: 'timepicker', initial_time: to },
      }),
      input(actionIds.quietExcept, {
        label: 'Still post as they happen',
        optional: true,
        element: checkboxes(typeOptions, hours?.except ?? []),
      }),
    ],
  });
}

/** Reads the form: the hours, or by field what is wrong with it. */
export function readQuietForm(
  fieldOf: FieldOf,
): { readonly hours: TypedQuiet } | { readonly errors: Readonly<Record<string, string>> } {
  const [chosen] = chosenIn(fieldOf(actionIds.quietDays));
  if (chosen === 'off') return { hours: 'off' };
  const [from, to] = [actionIds.quietFrom, actionIds.quietTo].map((id) => fieldOf(id)?.selected_time);
  if (!from || !to) return { errors: { [from ? actionIds.quietTo : actionIds.quietFrom]: 'Choose a time.' } };
  if (from === to) return { errors: { [actionIds.quietTo]: 'Choose another time than the first.' } };
  const except = typesIn(fieldOf(actionIds.quietExcept));
  return {
    hours: {
      from,
      to,
      ...(chosen === 'weekends' ? { weekends: true } : {}),
      ...(except.length > 0 ? { except } : {}),
    },
  };
}
