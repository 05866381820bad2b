import { codeOf } from '../../lib/error-code.ts';

/** What the doctor checks, in the order of its output. */
export const topics = ['configuration', 'database', 'Slack', 'service', 'public address', 'clock'] as const;
type Topic = (typeof topics)[number];

/** One line for the admin. Faults and warnings have a remedy; the bot works despite a warning. A skipped topic was not checked. */
export type SetupFinding =
  | { readonly topic: Topic; readonly state: 'ok' | 'skipped'; readonly text: string }
  | {
      readonly topic: Topic;
      readonly state: 'fault' | 'warning';
      readonly text: string;
      readonly remedy: string;
    };

/** What was found about another system. */
export type SystemFindings = {
  readonly findings: readonly SetupFinding[];
  /** How many seconds its clock is ahead of ours; null if unknown. */
  readonly aheadSeconds: number | null;
};

/** Returns what makes the findings on a topic. */
export function findingsOn(topic: Topic) {
  return {
    ok: (text: string): SetupFinding => ({ topic, state: 'ok', text }),
    skipped: (text: string): SetupFinding => ({ topic, state: 'skipped', text }),
    warning: (text: string, remedy: string): SetupFinding => ({ topic, state: 'warning', text, remedy }),
    fault: (text: string, remedy: string): SetupFinding => ({ topic, state: 'fault', text, remedy }),
  };
}

/** Splits one of our sentences into what is wrong and its remedy. */
export function halvesOf(sentence: string): [text: string, remedy: string] {
  const [text = sentence, ...remedy] = sentence.split(': ');
  return [text, remedy.join(': ').replace(/\.$/, '')];
}

/** Formats a finding as one line, without control characters from other systems. */
export function lineOf(finding: SetupFinding): string {
  const mark = finding.state === 'fault' ? 'FAULT' : finding.state;
  const remedy = 'remedy' in finding ? ` Remedy: ${finding.remedy}.` : '';
  return `${mark.padEnd(8)} ${finding.topic}: ${finding.text}.${remedy}`.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    ' ',
  );
}

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
