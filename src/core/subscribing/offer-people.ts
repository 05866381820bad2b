import type { PlainTextOption } from '@slack/types';
import { personOption } from '../../messages/subscribing/form-fields.ts';
import { limits } from '../../messages/text/limits.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { Bot } from '../bot.ts';
import type { PersonName } from '../model/subscription.ts';
import { isEmail, spelling } from '../model/typed-text.ts';
import { isMemberInTime, lookUpMs } from './offer-targets.ts';

/** Returns the options for what was typed in the form's field for people: an email address as it is, then people of the workspace by name. */
export async function offerPeople(
  { slack }: Bot,
  { person }: CommandContext,
  typed: string,
): Promise<PlainTextOption[]> {
  const email = typed.trim().toLowerCase();
  const isTyped = isEmail(email) && email.length <= limits.optionValue;
  const asTyped: PersonName[] = isTyped ? [{ email }] : [];
  const people = (await isMemberInTime(slack, person)) ? await slack.peopleIn(person, lookUpMs) : [];
  const names = new Map(people.map(({ userId, name }) => [userId, name]));
  const wanted = ` ${spelling(typed)}`;
  const fitting = people
    .filter(({ name }) => ` ${spelling(name)}`.includes(wanted))
    .toSorted((one, other) => one.name.localeCompare(other.name));
  return [...asTyped, ...fitting].slice(0, limits.options).map((who) => personOption(who, names));
}
