/** Compares names as people sort them: in any letter case, and "Sheet 9" before "Sheet 10". */
export const { compare: naturalOrder } = new Intl.Collator('en', { numeric: true });
