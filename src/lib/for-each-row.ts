/** Does something for each row, in order. A failure is reported and does not stop the rows after it. */
export async function forEachRow<Row>(
  rows: Iterable<Row>,
  act: (row: Row) => Promise<unknown>,
  failed: (error: unknown, row: Row) => void,
): Promise<void> {
  for (const row of rows) {
    try {
      await act(row);
    } catch (error) {
      failed(error, row);
    }
  }
}
