import { importFields } from '../../messages/admin/imports.ts';
import { type FieldValues, fieldIn } from './field-values.ts';

/** What was put into the fields of the form that imports, one behind the other. */
export function readImportText(values: FieldValues): string {
  return importFields
    .map((blockId) => fieldIn(values, blockId)?.value ?? '')
    .filter((text) => text.trim() !== '')
    .join('\n');
}
