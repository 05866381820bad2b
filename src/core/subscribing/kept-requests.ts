import { parseJson } from '../../lib/parse-json.ts';
import { type Request, requestSchema } from '../model/request.ts';

export type KeptRequestsDeps = {
  /** Kept for as long as a question is worth an answer. */
  readonly records: {
    readonly get: (key: string) => Promise<unknown>;
    readonly set: (key: string, value: Request) => Promise<void>;
  };
  /** What nobody guesses, in capital and small letters, digits, `-` and `_`. */
  readonly newKey: () => string;
};

export type KeptRequests = ReturnType<typeof makeKeptRequests>;

/** Slack: the value of a button. */
const longestValue = 2_000;
const keptForm = /^kept:([\w-]{16,64})$/;

/** Requests that a question's button brings back: in the button itself where they fit, else from a record. */
export function makeKeptRequests({ records, newKey }: KeptRequestsDeps) {
  return {
    /** The value for the button. */
    async keep(request: Request): Promise<string> {
      const value = JSON.stringify(request);
      if (value.length <= longestValue) return value;
      const key = newKey();
      await records.set(key, request);
      return `kept:${key}`;
    },

    /** The request behind a button's value; null where it is none, or has been forgotten. */
    async read(value: string): Promise<Request | null> {
      const key = keptForm.exec(value)?.[1];
      const parsed = requestSchema.safeParse(key === undefined ? parseJson(value) : await records.get(key));
      return parsed.success ? parsed.data : null;
    },
  };
}
