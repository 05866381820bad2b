import { defaultNames } from '../../src/core/model/commands.ts';
import { type FormContext, keptAtFirst } from '../../src/core/subscribing/form-context.ts';

/** The context of a form that was just opened for a new subscription. */
export const newForm: FormContext = {
  channelId: 'C1',
  responseUrl: null,
  names: defaultNames,
  zone: 'Europe/Oslo',
  isOwnZone: true,
  change: null,
  usual: 'live',
  kept: keptAtFirst,
};
