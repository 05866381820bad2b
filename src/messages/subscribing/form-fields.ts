import type { KnownBlock } from '@slack/types';
import { hasContents } from '../../core/model/format-request.ts';
import { patternsFault, withoutRoot } from '../../core/model/patterns.ts';
import type { Followed, SubscribeRequest, TypedWhen } from '../../core/model/request.ts';
import {
  daysOfWeek,
  type EventType,
  eventTypes,
  type PersonName,
  pingedByDefault,
} from '../../core/model/subscription.ts';
import {
  isEmail,
  isName,
  isUserId,
  maxListLength,
  maxNameLength,
  withoutInvisible,
} from '../../core/model/typed-text.ts';
import { dayName, describeScope, type KindWithContents } from '../text/copy.ts';
import { joinPath } from '../text/escape.ts';
import { limits } from '../text/limits.ts';
import { context, plainText } from '../text/message.ts';
import {
  channelPicker,
  checkboxes,
  chosenIn,
  drawField,
  errorsOf,
  type FieldOf,
  type FieldState,
  type FormFaults,
  type FormField,
  option,
  optionsOf,
  personPicker,
  radioButtons,
  readEntered,
  select,
  textField,
} from '../text/modal.ts';
import { capital, inPlain, type Phrase, plainly, quoted, say, sentence } from '../text/phrase.ts';

/** A folder of a project. */
export type KnownFolder = {
  readonly id: string;
  /** Folder names from the root down, the folder's own last. */
  readonly path: readonly string[];
  /** Whether only its own name is shown. */
  readonly isShort?: boolean | undefined;
};

/** What the second step of the form shows. */
export type Form = {
  /** What it was opened with: what was chosen or typed, or a subscription with all its settings. */
  readonly start: SubscribeRequest;
  /** Null if the channel is chosen in the form. */
  readonly channelId: string | null;
  /** After Back and Next, fields have other ids, or Slack would keep what was entered for something else. */
  readonly round?: number;
  /** Chosen in the form before Back was pressed. */
  readonly chosenChannelId?: string | null;
  /** Whether the fields below More options are shown. */
  readonly more: boolean;
  /** IANA name of the time zone of clock times, and whether it is the reader's. */
  readonly zone: string;
  readonly isOwnZone: boolean;
  /** Folders of the project, offered by name. */
  readonly folders: readonly KnownFolder[];
  /** The names of the people in `start`, by Slack id. */
  readonly names: ReadonlyMap<string, string>;
};

/** What a form asks for, as far as its fields have been read; lists that two fields give together are added to it by the second. */
type Draft = SubscribeRequest & {
  readonly channelId: string | null;
  readonly folders: readonly string[];
  readonly people: readonly PersonName[];
};

/** A field of the form, and when it is shown. */
type SubscribeField = FormField<Form, Draft> & {
  /** Whether it is below More options. */
  readonly isMore?: true;
  readonly isShown?: (form: Form) => boolean;
  /** Why what is set cannot be edited in this field; null if it can. What is not shown stays as it is. */
  readonly isNotShownAs?: (form: Form) => string | null;
};

const kindOptions = optionsOf({ project: 'A project', session: 'A session' });
/** The event types, as choices. */
export const typeOptions = optionsOf({
  create: 'Added',
  update: 'Changed',
  delete: 'Deleted',
} satisfies Record<EventType, string>);
const whenOptions = optionsOf({
  live: 'As changes happen',
  hourly: 'Hourly digest',
  daily: 'Daily digest',
  weekdays: 'Daily digest, Monday to Friday',
  weekly: 'Weekly digest',
});
/** From Monday on. */
const days = [...daysOfWeek.slice(1), ...daysOfWeek.slice(0, 1)];
const dayOptions = optionsOf(Object.fromEntries(days.map((day) => [day, dayName(day)])));

/** The `block_id` of each is its `action_id`, at first. */
const fields: Readonly<Record<string, SubscribeField>> = {
  channel: {
    label: 'Channel',
    hint: 'Everyone in it will see the messages. You need to be a member.',
    isShown: ({ channelId }) => channelId === null,
    element: ({ chosenChannelId }) => ({
      ...channelPicker('Choose a channel', chosenChannelId),
      filter: { include: ['public', 'private'], exclude_bot_users: true },
      response_url_enabled: true,
    }),
    read: ({ selected_conversation: channelId }) =>
      channelId ? { channelId } : { fault: say`Choose a channel.` },
  },
  kind: {
    label: ({ start: { target } }) => `What is ${idOf(target)}?`,
    isShown: ({ start }) => start.target.kind === 'unknown',
    element: () => radioButtons(kindOptions, null),
    read: (sent, { target }) => {
      const [kind] = chosenIn(sent);
      if (kind === 'project') return { target: { kind, projectId: idOf(target) } };
      if (kind === 'session') return { target: { kind, sessionId: idOf(target) } };
      return { fault: say`Choose what ${plainly(idOf(target))} is.` };
    },
  },
  scope: {
    label: 'Scope',
    isShown: ({ start: { target } }) => target.kind !== 'unknown' && hasContents(target),
    element: ({ start: { target, comprehensive } }) => {
      const kind = target.kind as KindWithContents;
      const labelOf = (isWhole: boolean) => inPlain(capital([describeScope(kind, isWhole)]));
      const options = optionsOf({ comprehensive: labelOf(true), plain: labelOf(false) });
      return radioButtons(options, comprehensive ? 'comprehensive' : 'plain');
    },
    read: (sent) => ({ comprehensive: chosenIn(sent)[0] !== 'plain' }),
  },
  types: {
    label: 'Events',
    element: ({ start: { filters } }) =>
      checkboxes(typeOptions, filters.only?.length ? filters.only : eventTypes),
    // All of them include types that the service may add later.
    read: (sent, { filters }) => {
      const only = typesIn(sent);
      return { filters: { ...filters, only: only.length === eventTypes.length ? [] : only } };
    },
  },
  when: {
    label: 'Delivery',
    element: ({ start: { when } }) => select(whenOptions, whenName(when)),
    read: (sent, { when }) => ({ when: whenOf(chosenIn(sent)[0], when) }),
  },
  at: {
    label: 'Time',
    hint: ({ zone, isOwnZone }) => {
      const whose = isOwnZone ? 'your' : 'this digest’s';
      return inPlain(say`For daily and weekly digests, in ${whose} time zone (${plainly(zone)})`);
    },
    element: ({ start: { when } }) => ({ type: 'timepicker', initial_time: clockOf(when).at }),
    read: ({ selected_time: at }, { when }) => {
      if (!when || !('at' in when)) return {};
      return at ? { when: { ...when, at } } : { fault: say`Choose a time for the digest.` };
    },
  },
  day: {
    label: 'Day',
    hint: 'For weekly digests',
    element: ({ start: { when } }) => select(dayOptions, clockOf(when).day),
    read: (sent, { when }) => {
      const day = days.find((each) => each === chosenIn(sent)[0]);
      return when?.when === 'weekly' && day ? { when: { ...when, day } } : {};
    },
  },
  except: {
    label: 'Post as they happen, not in a digest',
    optional: true,
    isMore: true,
    element: ({ start: { when } }) => checkboxes(typeOptions, exceptOf(when)),
    read: (sent, { when }) => {
      if (!when || when.when === 'live') return {};
      const { except: _, ...rest } = when;
      const except = typesIn(sent);
      return { when: except.length === 0 ? rest : { ...rest, except } };
    },
  },
  folders: {
    label: 'Folders',
    optional: true,
    isMore: true,
    isShown: (form) => folderOptions(form.folders).length > 0 && pathLines(form).length <= limits.inputText,
    element: ({ folders }) => ({
      type: 'multi_static_select',
      placeholder: plainText('All folders', limits.placeholder),
      options: folderOptions(folders),
    }),
    read: (sent) => ({ folders: chosenIn(sent) }),
  },
  paths: {
    label: 'Folder patterns',
    hint: 'One per line, such as Plans/Level 1 or *.pdf. Start with ! to exclude. Empty means all folders.',
    optional: true,
    isMore: true,
    isNotShownAs: (form) => (pathLines(form).length > limits.inputText ? tooLong('folders') : null),
    element: (form) => textField({ text: pathLines(form), multiline: true }),
    read: ({ value }, { filters, folders }) => {
      const paths = withoutRoot([...folders, ...linesIn(value ?? '')]);
      const wrong = patternsFault(paths);
      return wrong ? { fault: faultOf(wrong.value, wrong.expected) } : { filters: { ...filters, paths } };
    },
  },
  people: {
    label: 'People',
    hint: 'Members by name, others by the email address they have at the service',
    optional: true,
    isMore: true,
    isNotShownAs: ({ start: { filters } }) => whyNotPickable(filters),
    element: ({ start: { filters }, names }) => {
      const chosen = peopleOf(filters).map((who) => personOption(who, names));
      return {
        type: 'multi_external_select',
        min_query_length: 0,
        placeholder: plainText('Everybody', limits.placeholder),
        ...(chosen.length > 0 && { initial_options: chosen }),
      };
    },
    read: (sent) => {
      const people = chosenIn(sent).flatMap((value): PersonName[] => {
        if (isUserId(value)) return [{ userId: value }];
        return isEmail(value) ? [{ email: value }] : [];
      });
      return people.length > maxListLength
        ? { fault: say`Choose at most ${maxListLength} people.` }
        : { people };
    },
  },
  whose: {
    label: 'Changes by these people',
    isMore: true,
    isShown: ({ start: { filters } }) => whyNotPickable(filters) === null,
    element: ({ start: { filters } }) =>
      radioButtons(
        optionsOf({ by: 'Post only these', notBy: 'Post all but these' }),
        filters.notBy?.length ? 'notBy' : 'by',
      ),
    read: (sent, { filters, people }) => {
      const isOnly = chosenIn(sent)[0] !== 'notBy';
      return { filters: { ...filters, by: isOnly ? people : [], notBy: isOnly ? [] : people } };
    },
  },
  threads: {
    label: 'Threads',
    optional: true,
    isMore: true,
    element: ({ start: { threads } }) =>
      checkboxes(optionsOf({ on: 'Group later changes to an item in its thread' }), threads ? ['on'] : []),
    read: (sent) => ({ threads: chosenIn(sent).length > 0 }),
  },
  ping: {
    label: 'Mention',
    hint: 'In new messages, not in digests, at most once every 10 minutes',
    optional: true,
    isMore: true,
    isNotShownAs: ({ start: { ping } }) =>
      ping?.kind === 'group'
        ? `New messages mention ${ping.name ? `@${ping.name}` : 'a group'}. To change that, use ping in a command.`
        : null,
    element: ({ start: { ping } }) => personPicker('Nobody', ping?.kind === 'user' ? ping.id : null),
    read: ({ selected_user: id }, { ping }) => {
      if (id && isUserId(id)) return { ping: { kind: 'user', id, on: ping?.on ?? pingedByDefault } };
      return { ping: ping ? null : undefined };
    },
  },
  pingOn: {
    label: 'Mention when something is',
    isMore: true,
    isShown: ({ start: { ping } }) => ping?.kind !== 'group',
    element: ({ start: { ping } }) => checkboxes(typeOptions, ping?.on ?? pingedByDefault),
    read: (sent, { ping }) => {
      const on = typesIn(sent);
      if (!ping) return {};
      return on.length > 0 ? { ping: { ...ping, on } } : { fault: say`Choose at least one kind of change.` };
    },
  },
  name: {
    label: 'Name to show',
    hint: 'Until the service sends the name',
    optional: true,
    isMore: true,
    // Slack does not say how it counts. Counted in UTF-16 units, a name that was typed with emoji can be longer.
    element: ({ start: { name } }) =>
      textField({ text: name ?? '', most: Math.max(maxNameLength, name?.length ?? 0) }),
    read: ({ value }, { name: before }) => {
      const name = withoutInvisible(value ?? '').trim();
      if (name === '') return { name: before ? null : undefined };
      return isName(name) ? { name } : { fault: say`Enter a name of at most ${maxNameLength} characters.` };
    },
  },
};

/** The `action_id` of each field. */
export const formFields = Object.keys(fields);

/** Draws the fields that a form shows. */
export function fieldBlocks(form: Form): KnownBlock[] {
  return Object.entries(fields).flatMap(([name, field]): KnownBlock[] => {
    if ((field.isMore && !form.more) || field.isShown?.(form) === false) return [];
    const instead = field.isNotShownAs?.(form);
    if (instead) return [context([sentence(instead)])];
    return [{ ...drawField(name, field, form), block_id: blockIdOf(name, form.round) }];
  });
}

function blockIdOf(name: string, round = 0): string {
  return round === 0 ? name : `${name}.${round}`;
}

/** What a form asks for. While something in it is wrong, only `faults` counts. */
export type FormRead = {
  readonly channelId: string | null;
  readonly request: SubscribeRequest;
  readonly faults: FormFaults;
};

/** Reads the form. What has no field stays as the form was opened with it. */
export function readFields(
  { start, channelId }: Pick<Form, 'start' | 'channelId'>,
  fieldOf: FieldOf,
): FormRead {
  const opened: Draft = { ...start, channelId, folders: [], people: [] };
  const { entered, faults } = readEntered(fields, opened, fieldOf);
  const { channelId: chosen, folders: _folders, people: _people, ...request } = entered;
  return { channelId: chosen, request, faults };
}

/** Returns what is wrong, by the `block_id` that fields have in a round. */
export function formErrors(faults: FormFaults, round = 0): Readonly<Record<string, string>> {
  return errorsOf(new Map([...faults].map(([name, fault]) => [blockIdOf(name, round), fault])));
}

/** Returns the same as lines with the labels of the fields, for where no field can show it. */
export function faultLines(faults: FormFaults): readonly Phrase[] {
  return [...faults].map(([name, fault]) => {
    const label = fields[name]?.label;
    return typeof label === 'string' ? [`• ${label}: `, ...fault] : ['• ', ...fault];
  });
}

/** Makes the option for a person in the picker. */
export function personOption(who: PersonName, names: ReadonlyMap<string, string>) {
  return 'email' in who
    ? option(who.email, who.email)
    : option(who.userId, names.get(who.userId) ?? 'A member');
}

/** Says what was entered, if anything was, and what to enter. */
export function faultOf(word: string | null, expected: string): Phrase {
  if (word === null) return say`Enter ${sentence(expected)}.`;
  return say`${quoted(word.slice(0, 80).toWellFormed())} doesn’t work here. Enter ${sentence(expected)}.`;
}

/** Returns the event types that are checked in a field. */
export function typesIn(sent: FieldState | undefined): EventType[] {
  return eventTypes.filter((type) => chosenIn(sent).includes(type));
}

function idOf(target: Followed): string {
  return 'id' in target ? target.id : '';
}

/** Returns the time and the day of a digest, or those that a new one has. */
function clockOf(when: TypedWhen | undefined) {
  const clock = { at: '09:00', day: 'monday' as const };
  return {
    ...clock,
    ...(when && 'at' in when && { at: when.at }),
    ...(when && 'day' in when && { day: when.day }),
  };
}

function exceptOf(when: TypedWhen | undefined): readonly EventType[] {
  return (when && 'except' in when && when.except) || [];
}

/** Returns the choice for when to post. */
export function whenName(when: TypedWhen | undefined): string {
  return when?.when === 'daily' && when.weekdays ? 'weekdays' : (when?.when ?? 'live');
}

/** Returns when to post as chosen, with what was set before. */
export function whenOf(chosen: string | undefined, before?: TypedWhen): TypedWhen {
  const { at, day } = clockOf(before);
  const except = exceptOf(before);
  const more = except.length > 0 && { except };
  if (chosen === 'hourly') return { when: chosen, ...more };
  if (chosen === 'daily') return { when: chosen, at, ...more };
  if (chosen === 'weekdays') return { when: 'daily', at, weekdays: true, ...more };
  return chosen === 'weekly' ? { when: chosen, day, at, ...more } : { when: 'live' };
}

/** Makes options of folders, by name. Skips those whose glob is too long for Slack, a duplicate, or would be read as something else. */
function folderOptions(folders: readonly KnownFolder[]) {
  const named = new Map(
    folders.flatMap(({ path, isShort }) => {
      const glob = `${path.join('/')}/**`;
      const isPlain = !/^[!"“”„«»]|[{}*?]/.test(path.join('/')) && glob.length <= limits.optionValue;
      return isPlain ? [[glob, joinPath(isShort ? path.slice(-1) : path, limits.optionText)] as const] : [];
    }),
  );
  return [...named].slice(0, limits.options).map(([glob, name]) => option(glob, name));
}

/** Returns the patterns as they are typed. One that begins with a quotation mark is quoted, so that its own are not taken for quotes. */
function pathLines({ start: { filters } }: Form): string {
  return (filters.paths ?? []).map((path) => (/^!?["“”„«»]/.test(path) ? `"${path}"` : path)).join('\n');
}

/** Reads patterns, one per line, with or without quotes. */
function linesIn(text: string): string[] {
  return text
    .split(/[\n\r\u2028\u2029]/)
    .map((line) => withoutInvisible(line).trim())
    .filter((line) => line !== '')
    .map((line) => line.replace(/^(!?)["“”„«»](.*)["“”«»]$/, '$1$2').trim());
}

type PeopleFilters = Pick<SubscribeRequest['filters'], 'by' | 'notBy'>;

function peopleOf({ by = [], notBy = [] }: PeopleFilters): readonly PersonName[] {
  return [...by, ...notBy];
}

/** Returns why the picker cannot show the people that are set; null if it can. */
function whyNotPickable(filters: PeopleFilters): string | null {
  if (filters.by?.length && filters.notBy?.length)
    return 'This subscription posts changes only by some people and ignores others. Both lists stay as they are.';
  const isLong = peopleOf(filters).some((who) => 'email' in who && who.email.length > limits.optionValue);
  return isLong ? tooLong('people') : null;
}

function tooLong(what: string): string {
  return `The list of ${what} is too long to edit here. It stays as it is.`;
}
