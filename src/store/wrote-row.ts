/** What a statement without `returning` answers. */
type Counts = Partial<
  Record<'numInsertedOrUpdatedRows' | 'numUpdatedRows' | 'numDeletedRows', bigint | undefined>
>;

/** Runs a statement, which ends with `.$call(wroteRow)`. Returns whether it inserted, updated or deleted a row. */
export async function wroteRow(statement: {
  readonly executeTakeFirst: () => Promise<Counts | undefined>;
}): Promise<boolean> {
  const counts = (await statement.executeTakeFirst()) ?? {};
  return (counts.numUpdatedRows ?? counts.numDeletedRows ?? counts.numInsertedOrUpdatedRows ?? 0n) > 0n;
}
