/** A page of a list, with the cursor of the next one. */
export type Page = { readonly response_metadata?: { readonly next_cursor?: string | undefined } | undefined };

/** Yields the pages of a list, at most `most` of them. `ask` adds the cursor to its call of Slack; each page is asked for when it is needed. */
export async function* pagesOf<Of extends Page>(
  most: number,
  ask: (cursor: { readonly cursor?: string }) => Promise<Of>,
): AsyncGenerator<Of, void> {
  let cursor: string | undefined;
  for (let read = 0; read < most; read += 1) {
    const page = await ask(cursor ? { cursor } : {});
    yield page;
    cursor = page.response_metadata?.next_cursor;
    if (!cursor) return;
  }
}
