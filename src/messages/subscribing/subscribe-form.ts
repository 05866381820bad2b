import type { InputBlock, KnownBlock, ModalView } from '@slack/types';
import { type Delivery, daysOfWeek, type EventType } from '../../core/model/subscription.ts';
import { actionIds, callbackIds } from '../text/action-ids.ts';
import { dayName } from '../text/copy.ts';
import { checkboxes, input, optionsOf, radioButtons, select } from '../text/input.ts';
import { limits } from '../text/limits.ts';
import { actions, button, context, plainText, section } from '../text/message.ts';
import { modal } from '../text/modal.ts';
import { channel, inPlain, plainly, say, typed } from '../text/phrase.ts';
import { moreFields } from './form-more.ts';
import { scopeField, targetFields } from './form-target.ts';
import type { FormAbout, FormHints, FormValues } from './form-values.ts';
import { nameInList } from './list-rows.ts';
import { whyNotPostable } from './refusals.ts';

/**
 * Makes the form that subscribes a channel or edits a subscription. When redrawn with other values it keeps what was typed, because its
 * fields keep their ids (Slack docs: updating modals).
 *
 * @param form `zone`: the IANA time zone of clock times; `isOwnZone`: whether it is the reader's; `metadata` comes back with the form
 * @throws RangeError if `metadata` is longer than Slack accepts
 */
export function subscribeForm(form: {
  readonly about: FormAbout;
  readonly values: FormValues;
  readonly zone: string;
  readonly isOwnZone: boolean;
  readonly hints: FormHints;
  readonly metadata: string;
}): ModalView {
  const { about, values, hints, metadata } = form;
  const isEdit = about.act === 'change';
  return modal({
    callbackId: callbackIds.subscribe,
    metadata,
    title: isEdit ? 'Edit subscription' : 'Subscribe',
    submit: isEdit ? 'Save' : 'Subscribe',
    blocks: [
      ...headOf(about, values, hints),
      ...(isEdit ? [] : targetFields(values, hints)),
      ...scopeField(about.act === 'change' ? about.subscribed.target.kind : values.kind, values),
      eventsField(values),
      ...deliveryFields(values, form),
      ...(values.more ? moreFields(values, hints) : []),
      { type: 'divider' },
      ...footOf(values, hints),
    ],
  });
}

export const channelLabel = 'Channel';

function headOf(about: FormAbout, values: FormValues, { obstacle }: FormHints): KnownBlock[] {
  if (about.act === 'change') {
    return [section([say`${nameInList(about.subscribed)} in ${channel(about.channelId)}`])];
  }
  if (about.channelId !== null) return [section([say`Posting to ${channel(about.channelId)}`])];
  return [
    input(actionIds.formChannel, {
      label: channelLabel,
      hint: 'Everyone in it will see the messages. You need to be a member.',
      dispatches: true,
      element: {
        type: 'conversations_select',
        filter: { include: ['public', 'private'], exclude_bot_users: true },
        response_url_enabled: true,
        placeholder: plainText('Choose a channel', limits.placeholder),
        ...(values.channelId === null ? {} : { initial_conversation: values.channelId }),
      },
    }),
    ...(obstacle === null ? [] : [section([whyNotPostable(obstacle, 'form')])]),
  ];
}

function footOf({ more }: FormValues, { asTyped }: FormHints): KnownBlock[] {
  const isTypable = asTyped !== null && asTyped.length <= limits.path;
  return [
    actions([
      button(actionIds.formPreview, 'Preview', { spokenAfter: say` the latest matching messages` }),
      !more && button(actionIds.formMore, 'More options', { spokenAfter: say`: folders, people, threads` }),
    ]),
    ...(isTypable ? [context(say`Same as typing ${typed(asTyped)}`)] : []),
  ];
}

const typeLabels: Readonly<Record<EventType, string>> = {
  create: 'Added',
  update: 'Changed',
  delete: 'Deleted',
};
const typeOptions = optionsOf(typeLabels);

function eventsField({ types }: FormValues): InputBlock {
  return input(actionIds.formTypes, {
    label: 'Events',
    dispatches: true,
    element: checkboxes(typeOptions, types),
  });
}

const whenLabels: Readonly<Record<Delivery['when'], string>> = {
  live: 'As changes happen',
  hourly: 'Hourly digest',
  daily: 'Daily digest',
  weekly: 'Weekly digest',
};
const whenOptions = optionsOf(whenLabels);
const daysOptions = optionsOf({ all: 'Every day', weekdays: 'Monday to Friday' });
/** From Monday on. */
const dayOptions = optionsOf(
  Object.fromEntries([...daysOfWeek.slice(1), ...daysOfWeek.slice(0, 1)].map((day) => [day, dayName(day)])),
);
const exceptOptions = optionsOf({ delete: 'Post deletions right away' });

/** The IANA name of a time zone, and whether it is the reader's. */
type ShownZone = { readonly zone: string; readonly isOwnZone: boolean };

function deliveryFields(values: FormValues, shownZone: ShownZone): KnownBlock[] {
  const { when } = values;
  return [
    input(actionIds.formWhen, {
      label: 'Delivery',
      dispatches: true,
      element: select(whenOptions, when),
    }),
    ...(when === 'daily' || when === 'weekly' ? clockFields(values, shownZone) : []),
    ...(when === 'live' ? [] : [exceptField(values)]),
  ];
}

function clockFields({ when, at, weekdays, day }: FormValues, { zone, isOwnZone }: ShownZone): KnownBlock[] {
  const whose = isOwnZone ? 'your' : 'this digest’s';
  return [
    input(actionIds.formAt, {
      label: 'Time',
      hint: inPlain(say`In ${whose} time zone (${plainly(zone)})`),
      dispatches: true,
      element: { type: 'timepicker', initial_time: at },
    }),
    when === 'weekly'
      ? input(actionIds.formDay, { label: 'Day', dispatches: true, element: select(dayOptions, day) })
      : input(actionIds.formDays, {
          label: 'Days',
          dispatches: true,
          element: radioButtons(daysOptions, weekdays ? 'weekdays' : 'all'),
        }),
  ];
}

function exceptField({ exceptDeleted }: FormValues): InputBlock {
  return input(actionIds.formExcept, {
    label: 'Exceptions',
    optional: true,
    dispatches: true,
    element: checkboxes(exceptOptions, exceptDeleted ? ['delete'] : []),
  });
}
