import type { KnownBlock } from '@slack/types';
import { maxNameLength } from '../../core/model/typed-text.ts';
import { actionIds } from '../text/action-ids.ts';
import { checkboxes, initialOptions, input, optionsOf, textField } from '../text/input.ts';
import { limits } from '../text/limits.ts';
import { context, plainText } from '../text/message.ts';
import { folderOptions } from './form-target.ts';
import type { FormHints, FormPeople, FormValues, KnownFolder } from './form-values.ts';

/** Makes the fields that few people need: folders, people, threads and a name. */
export function moreFields(values: FormValues, hints: FormHints): KnownBlock[] {
  return [
    ...pathFields(values, hints.folders),
    ...peopleFields(values.by, byWords),
    ...peopleFields(values.notBy, notByWords),
    threadsField(values),
    nameField(values),
  ];
}

export const pathsLabel = 'Folders';

function pathFields({ folders, paths }: FormValues, known: readonly KnownFolder[]): KnownBlock[] {
  if (paths === null) return [tooLong('folders')];
  const options = folderOptions(known, globOf);
  const patterns = input(actionIds.formPaths, {
    label: options.length === 0 ? pathsLabel : 'Folder patterns',
    hint: 'One per line. Start with ! to exclude. Empty means all folders.',
    optional: true,
    element: textField({
      text: paths,
      multiline: true,
      placeholder: 'Plans/Level 1',
    }),
  });
  if (options.length === 0) return [patterns];
  return [
    input(actionIds.formFolders, {
      label: pathsLabel,
      optional: true,
      dispatches: true,
      element: {
        type: 'multi_static_select',
        placeholder: plainText('All folders', limits.placeholder),
        options,
        ...initialOptions(options, folders),
      },
    }),
    patterns,
  ];
}

/** Returns the glob for a folder and everything in it; empty if its name would be parsed as something else. */
function globOf({ path }: KnownFolder): string {
  const glob = `${path.join('/')}/**`;
  return /^[!"“”„«»]|[{}*?]/.test(path.join('/')) ? '' : glob;
}

type PeopleWords = {
  /** The `action_id` of the field for Slack users, and of the one for email addresses. */
  readonly users: string;
  readonly emails: string;
  readonly label: string;
  /** What the fields list, for the note that replaces them if it is too long. */
  readonly missing: string;
};

const byWords: PeopleWords = {
  users: actionIds.formByUsers,
  emails: actionIds.formByEmails,
  label: 'Only changes by',
  missing: 'people whose changes are posted',
};
const notByWords: PeopleWords = {
  users: actionIds.formNotByUsers,
  emails: actionIds.formNotByEmails,
  label: 'Ignore changes by',
  missing: 'people whose changes are ignored',
};

/** The labels of the two fields for email addresses. */
export const emailLabels = { by: byEmail(byWords), notBy: byEmail(notByWords) };

function byEmail({ label }: PeopleWords): string {
  return `${label} (email)`;
}

function peopleFields(people: FormPeople | null, words: PeopleWords): KnownBlock[] {
  if (people === null) return [tooLong(words.missing)];
  return [
    input(words.users, {
      label: words.label,
      optional: true,
      dispatches: true,
      element: {
        type: 'multi_users_select',
        placeholder: plainText('Choose people', limits.placeholder),
        ...(people.userIds.length === 0 ? {} : { initial_users: [...people.userIds] }),
      },
    }),
    input(words.emails, {
      label: byEmail(words),
      hint: 'Their addresses at the service, separated by spaces',
      optional: true,
      dispatches: true,
      element: textField({ text: people.emails }),
    }),
  ];
}

function tooLong(what: string): KnownBlock {
  return context([`The list of ${what} is too long to edit here. It stays as it is.`]);
}

const threadOptions = optionsOf({ on: 'Group later changes to an item in its thread' });

function threadsField({ threads }: FormValues): KnownBlock {
  return input(actionIds.formThreads, {
    label: 'Threads',
    optional: true,
    dispatches: true,
    element: checkboxes(threadOptions, threads ? ['on'] : []),
  });
}

export const nameLabel = 'Name to show';

function nameField({ name }: FormValues): KnownBlock {
  return input(actionIds.formName, {
    label: nameLabel,
    hint: 'Shown instead of the id until the service sends the name',
    optional: true,
    // Slack does not say how it counts. Counted in UTF-16 units, a name that was typed with emoji can be longer.
    element: textField({ text: name, most: Math.max(maxNameLength, name.length) }),
  });
}
