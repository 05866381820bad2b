/** A complete answer of the service. */
export type ServiceAnswer = { readonly status: number; readonly headers: Headers; readonly text: string };

/** Maximum bytes of an answer. More than any list of subscriptions needs; an endless answer must not fill the memory. */
const longestAnswer = 10 * 1024 * 1024;

/** Reads a whole answer as UTF-8, without a byte order mark. Throws what the connection throws, and a `RangeError` beyond 10 MiB. */
export async function readAnswer(response: Response): Promise<ServiceAnswer> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop cancels the stream, and with it the connection.
    if (size > longestAnswer) throw new RangeError(`an answer of more than ${longestAnswer} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return { status: response.status, headers: response.headers, text: text + decoder.decode() };
}

/** Returns whether the status is 2xx. */
export function isSuccess(answer: ServiceAnswer): boolean {
  return answer.status >= 200 && answer.status < 300;
}
