import { codeOf } from '../../lib/error-code.ts';

/** The answer to a request, or the reason there was none, phrased to follow "it" and without quoting the request. */
export type Asked =
  | {
      readonly ok: true;
      readonly status: number;
      readonly headers: Headers;
      readonly text: string;
      /** How many seconds the other clock is ahead of ours; null if unknown. */
      readonly aheadSeconds: number | null;
    }
  | { readonly ok: false; readonly reason: string };

const answerWithinMs = 10_000;

/** Sends one request, with a timeout of ten seconds. It does not follow redirects: their target is part of the answer. */
export async function ask(url: string | URL, init?: RequestInit): Promise<Asked> {
  try {
    const signal = AbortSignal.timeout(answerWithinMs);
    const response = await fetch(url, { redirect: 'manual', ...init, signal });
    const { status, headers } = response;
    const date = Date.parse(headers.get('date') ?? '');
    const aheadSeconds = Number.isNaN(date) ? null : (date - Date.now()) / 1_000;
    return { ok: true, status, headers, text: await response.text(), aheadSeconds };
  } catch (error) {
    return { ok: false, reason: reasonOf(error) };
  }
}

/** Returns why a system cannot be reached. Omits the error's message, which may contain the address and thus a secret. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error && (error.name === 'TimeoutError' || /timeout/i.test(error.message))) {
    return 'does not answer in time';
  }
  const code = codeOf(error instanceof Error && error.cause !== undefined ? error.cause : error);
  return `cannot be reached (${reasons[code] ?? code})`;
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'DNS does not answer',
  ECONNRESET: 'it closes the connection',
  ETIMEDOUT: 'it does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by an unknown authority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
};
