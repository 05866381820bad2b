import { type Fields, fieldsListOf, fieldsOf, stringOf } from '../../slack/json.ts';
import type { SlackChannel, SlackUser } from '../practice-states.ts';
import { type Html, html } from './html.ts';
import { plainTextOf } from './text-object.ts';

/** An option to choose. */
export type Option = {
  readonly value: string;
  readonly label: string;
  readonly description?: string | undefined;
};

/** Options under a heading; without a label: at the top. */
export type OptionGroup = { readonly label: string; readonly options: readonly Option[] };

/** The people and channels in selects that Slack fills itself. */
export type Choices = { readonly users: readonly SlackUser[]; readonly channels: readonly SlackChannel[] };

/** Returns the options of a select or of a group of checkboxes or radio buttons. */
export function optionGroupsOf(element: Fields, choices: Choices): OptionGroup[] {
  const type = String(element.type).replace(/^multi_/, '');
  if (type === 'users_select') {
    const people = choices.users.filter(({ isBot }) => !isBot);
    return [ungrouped(people.map(({ id, realName }) => ({ value: id, label: realName })))];
  }
  if (type === 'conversations_select' || type === 'channels_select') {
    const kinds = wantedKinds(element, type);
    const wanted = choices.channels.filter(({ kind }) => kinds.has(kind));
    return [ungrouped(wanted.map((channel) => ({ value: channel.id, label: channelLabel(channel) })))];
  }
  const groups = fieldsListOf(element.option_groups).map(({ label, options }) => ({
    label: plainTextOf(label),
    options: fieldsListOf(options).map(optionOf),
  }));
  return [ungrouped(fieldsListOf(element.options).map(optionOf)), ...groups];
}

/** Slack, conversations list: `filter.include` lists the kinds; all if it is missing. */
function wantedKinds(element: Fields, type: string): Set<string> {
  if (type === 'channels_select') return new Set(['public']);
  const { include } = fieldsOf(element.filter);
  return new Set(Array.isArray(include) ? include.map(String) : ['public', 'private', 'im', 'mpim']);
}

/** Returns `# plans`, or the name of the other person in direct messages. */
export function channelLabel({ kind, name }: Pick<SlackChannel, 'kind' | 'name'>): string {
  return kind === 'im' ? 'Plancast (direct messages)' : `#${name}`;
}

function ungrouped(options: readonly Option[]): OptionGroup {
  return { label: '', options };
}

function optionOf({ text, value, description }: Fields): Option {
  return {
    label: plainTextOf(text),
    value: stringOf(value) ?? '',
    description: stringOf(plainTextOf(description)),
  };
}

/** Renders the options of a `<select>`. */
export function optionTags(groups: readonly OptionGroup[], chosen: ReadonlySet<string>): Html[] {
  const tag = ({ value, label }: Option): Html =>
    html`<option value="${value}"${chosen.has(value) && html` selected`}>${label}</option>`;
  return groups.map(({ label, options }) =>
    label === ''
      ? html`${options.map(tag)}`
      : html`<optgroup label="${label}">${options.map(tag)}</optgroup>`,
  );
}
