import { importFields } from '../../messages/admin/imports.ts';
import { type FieldValues, fieldIn } from './field-values.ts';

/** Joins the text fields of the import form. */
export function readImportText(values: FieldValues): string {
  return importFields
    .map((blockId) => fieldIn(values, blockId)?.value ?? '')
    .filter((text) => text.trim() !== '')
    .join('\n');
}
