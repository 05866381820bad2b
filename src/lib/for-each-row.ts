/** Calls `act` for each row, in order. Passes an error to `failed` and continues with the next row. */
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
