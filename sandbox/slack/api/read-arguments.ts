import { type Fields, fieldsOf, isFields, parseJson } from '../json.ts';

/** Form arguments that contain JSON, each with the error for invalid JSON. */
const jsonArguments: Record<string, string> = {
  blocks: 'invalid_blocks_format',
  attachments: 'invalid_arguments',
  metadata: 'invalid_metadata_format',
  unfurls: 'invalid_arguments',
  view: 'invalid_arguments',
};

export interface ReadArguments {
  args: Fields;
  /** The token, if it came as an argument. */
  token: string | undefined;
  unreadable: string | undefined;
}

export interface RawArguments {
  contentType: string;
  body: string;
  /** From the URL; the body takes precedence. */
  query: URLSearchParams;
}

function readBody({ contentType, body, query }: RawArguments): Fields {
  if (contentType.startsWith('application/json')) {
    return { ...Object.fromEntries(query), ...fieldsOf(parseJson(body === '' ? '{}' : body)) };
  }
  return { ...Object.fromEntries(query), ...Object.fromEntries(new URLSearchParams(body)) };
}

/** Reads the arguments of a Web API call: a form with JSON in some fields, or JSON. */
export function readArguments(raw: RawArguments): ReadArguments {
  if (
    raw.contentType.startsWith('application/json') &&
    !isFields(parseJson(raw.body === '' ? '{}' : raw.body))
  ) {
    return { args: {}, token: undefined, unreadable: 'invalid_json' };
  }
  const { token, ...args } = readBody(raw);
  let unreadable: string | undefined;
  for (const [key, error] of Object.entries(jsonArguments)) {
    const value = args[key];
    if (typeof value !== 'string') continue;
    const parsed = parseJson(value);
    if (parsed === undefined) unreadable = error;
    else args[key] = parsed;
  }
  return { args, token: typeof token === 'string' ? token : undefined, unreadable };
}
