import { parseJson } from '../../lib/parse-json.ts';
import { type Request, requestSchema } from '../model/request.ts';

export type KeptRequestsDeps = {
  /** Entries last as long as the person may answer the question. */
  readonly records: {
    readonly get: (key: string) => Promise<unknown>;
    readonly set: (key: string, value: Request) => Promise<void>;
  };
  /** Returns an unguessable key of letters, digits, `-` and `_`. */
  readonly newKey: () => string;
};

export type KeptRequests = ReturnType<typeof makeKeptRequests>;

/** Slack: the longest value of a button. */
const longestValue = 2_000;
const keptForm = /^kept:([\w-]{16,64})$/;

/** Stores requests for the button of a question: in the button itself if they fit, otherwise in a record. */
export function makeKeptRequests({ records, newKey }: KeptRequestsDeps) {
  return {
    /** Returns the value for the button. */
    async keep(request: Request): Promise<string> {
      const value = JSON.stringify(request);
      if (value.length <= longestValue) return value;
      const key = newKey();
      await records.set(key, request);
      return `kept:${key}`;
    },

    /** Returns the request behind a button's value; null if there is none, or the record has expired. */
    async read(value: string): Promise<Request | null> {
      const key = keptForm.exec(value)?.[1];
      const parsed = requestSchema.safeParse(key === undefined ? parseJson(value) : await records.get(key));
      return parsed.success ? parsed.data : null;
    },
  };
}
