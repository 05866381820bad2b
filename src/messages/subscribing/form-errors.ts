import { blockIds } from '../text/action-ids.ts';
import { cutEnd } from '../text/escape.ts';
import { limits } from '../text/limits.ts';
import { inPlain, type Phrase, quoted, say, sentence } from '../text/phrase.ts';
import { emailLabels, nameLabel, pathsLabel } from './form-more.ts';
import { folderLabel, itemLabel, kindQuestion, resourceLabel } from './form-target.ts';
import {
  type FieldFault,
  type FormFaults,
  type FormField,
  type FormValues,
  faultyFields,
} from './form-values.ts';
import { channelLabel } from './subscribe-form.ts';

/**
 * Returns what is wrong, by field (Slack: response_action "errors").
 *
 * @param shown the `block_id`s of the submitted form; an error of a field that is not shown yet is shown at the link or id
 */
export function formErrors(faults: FormFaults, shown: readonly string[]): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const field of faultyFields) {
    const fault = faults[field];
    if (!fault) continue;
    const place = shown.includes(field) ? field : blockIds.formResource;
    errors[place] ??= cutEnd(inPlain(faultWords(fault)), limits.fieldError);
  }
  return errors;
}

/** Returns the same as lines, each with the label of its field, for places where no field can show it. */
export function faultLines(faults: FormFaults, values: FormValues): readonly Phrase[] {
  const labels = labelsOf(values);
  return faultyFields.flatMap((field): Phrase[] => {
    const fault = faults[field];
    return fault ? [[`• ${labels[field]}: `, ...faultWords(fault)]] : [];
  });
}

function faultWords({ word, expected }: FieldFault): Phrase {
  if (word === null) return say`Enter ${sentence(expected)}.`;
  return say`${quoted(word)} doesn’t work here. Enter ${sentence(expected)}.`;
}

function labelsOf({ kind, reference }: FormValues): Readonly<Record<FormField, string>> {
  return {
    [blockIds.formChannel]: channelLabel,
    [blockIds.formResource]: resourceLabel,
    [blockIds.formKind]: kindQuestion(reference?.id ?? 'it'),
    [blockIds.formFolder]: folderLabel,
    [blockIds.formItem]: itemLabel(kind),
    [blockIds.formPaths]: pathsLabel,
    [blockIds.formByEmails]: emailLabels.by,
    [blockIds.formNotByEmails]: emailLabels.notBy,
    [blockIds.formName]: nameLabel,
  };
}
