/** Does something for each row, in order. One that fails is reported, and those behind it have their turn all the same. */
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
