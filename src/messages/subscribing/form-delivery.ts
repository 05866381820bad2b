import type { InputBlock, KnownBlock } from '@slack/types';
import type { Delivery, EventType } from '../../core/model/subscription.ts';
import { actionIds } from '../text/action-ids.ts';
import { checkboxes, input, optionsOf, radioButtons, select } from '../text/input.ts';
import { inPlain, plainly, say } from '../text/phrase.ts';
import type { FormValues } from './form-values.ts';

const typeLabels: Readonly<Record<EventType, string>> = {
  create: 'Added',
  update: 'Changed',
  delete: 'Deleted',
};
const typeOptions = optionsOf(typeLabels);

/** Makes the field for which events are posted. */
export function eventsField({ types }: FormValues): InputBlock {
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
};
const whenOptions = optionsOf(whenLabels);
const dayOptions = optionsOf({ all: 'Every day', weekdays: 'Monday to Friday' });
const exceptOptions = optionsOf({ delete: 'Post deletions right away' });

/** Makes the fields for when they are posted. `zone` is the IANA name of the person's time zone. */
export function deliveryFields(values: FormValues, zone: string): KnownBlock[] {
  const { when } = values;
  return [
    input(actionIds.formWhen, {
      label: 'Delivery',
      dispatches: true,
      element: select(whenOptions, when),
    }),
    ...(when === 'daily' ? dailyFields(values, zone) : []),
    ...(when === 'live' ? [] : [exceptField(values)]),
  ];
}

function dailyFields({ at, weekdays }: FormValues, zone: string): KnownBlock[] {
  return [
    input(actionIds.formAt, {
      label: 'Time',
      hint: inPlain(say`In your time zone (${plainly(zone)})`),
      dispatches: true,
      element: { type: 'timepicker', initial_time: at },
    }),
    input(actionIds.formDays, {
      label: 'Days',
      dispatches: true,
      element: radioButtons(dayOptions, weekdays ? 'weekdays' : 'all'),
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
