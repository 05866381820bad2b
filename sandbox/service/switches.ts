import { PracticeError } from './practice-error.ts';

/** The row of "what the interface does not say" a switch belongs to; `other`: none. */
export type UNumber =
  | 'U1'
  | 'U2'
  | 'U3'
  | 'U4'
  | 'U5'
  | 'U6'
  | 'U7'
  | 'U8'
  | 'U9'
  | 'U10'
  | 'U11'
  | 'U12'
  | 'U13'
  | 'U14'
  | 'U15'
  | 'U16'
  | 'U17'
  | 'U18'
  | 'U19'
  | 'U20'
  | 'U21'
  | 'U22'
  | 'U23'
  | 'other';

type Value = string | number;

type Definition = {
  u: UNumber;
  /** The first side is the default. */
  sides: readonly [Value, Value, ...Value[]];
  /** The sides are examples; any value of the same type is accepted. */
  free?: true;
  sameOutcome: boolean;
  about: string;
};

/** All switches with their sides. Defaults follow the interface to the letter wherever it suggests one side. */
const table = {
  callbackMethod: {
    u: 'U1',
    sides: ['POST', 'PUT'],
    sameOutcome: true,
    about: 'The HTTP method of a notification.',
  },
  callbackContentType: {
    u: 'U1',
    sides: [
      'application/json',
      'application/json; charset=utf-8',
      'text/json',
      'application/vnd.notification+json',
      'text/plain',
      'none',
    ],
    sameOutcome: true,
    about: 'The Content-Type of a notification; `none` omits the header.',
  },
  callbackShape: {
    u: 'U1',
    sides: ['object', 'array'],
    sameOutcome: true,
    about: 'One notification per request, or an array of those pending for the same subscription.',
  },
  callbackSuccess: {
    u: 'U1',
    sides: ['any 2xx', '200 only', '200 with JSON'],
    sameOutcome: true,
    about: 'Which responses count as received; any other is a failed attempt.',
  },
  callbackProbe: {
    u: 'U1',
    sides: ['none', 'GET', 'HEAD'],
    sameOutcome: true,
    about: 'Whether a create first calls the Uri with this method, and refuses unless the response is 2xx.',
  },
  signatureScheme: {
    u: 'U2',
    sides: ['none', 'key', 'sha256-hex', 'sha256-base64', 'sha256-hex-text', 'sha256-base64-text'],
    sameOutcome: true,
    about:
      'How a notification is signed: not, with the Key itself, or by an HMAC-SHA256 of the raw body with the decoded bytes of the Key (`-text`: with the Key as text).',
  },
  signatureHeader: {
    u: 'U2',
    sides: ['X-Signature', 'X-Hub-Signature-256'],
    free: true,
    sameOutcome: true,
    about: 'The header that carries the signature.',
  },
  signaturePrefix: {
    u: 'U2',
    sides: ['none', 'algorithm='],
    sameOutcome: true,
    about: 'Whether an HMAC is prefixed with the name of the hash, as in `sha256=…`.',
  },
  keyCase: {
    u: 'U2',
    sides: ['lower', 'upper'],
    sameOutcome: true,
    about: 'Letter case of the hexadecimal Key.',
  },
  retries: {
    u: 'U3',
    sides: [0, 3],
    free: true,
    sameOutcome: true,
    about: 'How often a failed notification is sent again.',
  },
  retryDelayMs: {
    u: 'U3',
    sides: [10, 100],
    free: true,
    sameOutcome: true,
    about: 'Real milliseconds between a failed attempt and the next one.',
  },
  duplicates: {
    u: 'U3',
    sides: [0, 1],
    free: true,
    sameOutcome: true,
    about: 'How many extra copies of each notification are sent, with the same Id.',
  },
  order: {
    u: 'U3',
    sides: ['kept', 'reversed', 'shuffled'],
    sameOutcome: true,
    about: 'Order of notifications that are sent together (of one action, or all that were held).',
  },
  latenessMs: {
    u: 'U3',
    sides: [0, 50],
    free: true,
    sameOutcome: true,
    about: 'Real milliseconds between a change and its first attempt.',
  },
  inFlight: {
    u: 'U3',
    sides: [1, 8],
    free: true,
    sameOutcome: true,
    about:
      'How many notifications of one subscription are in flight at once; with more than one, order is not guaranteed.',
  },
  notificationId: {
    u: 'U3',
    sides: ['guid', 'upper case', 'in braces', 'missing'],
    sameOutcome: true,
    about: 'Format of the Id of a notification.',
  },
  errorBody: {
    u: 'U4',
    sides: ['json', 'text', 'html', 'long text', 'empty'],
    sameOutcome: true,
    about: 'Body of an error of the subscription endpoints.',
  },
  invalidStatus: {
    u: 'U4',
    sides: [400, 422],
    sameOutcome: true,
    about: 'Status of a create whose form breaks a rule.',
  },
  noPermissionStatus: {
    u: 'U4',
    sides: [403, 404],
    sameOutcome: true,
    about: 'Status of a create for a resource that the user is not allowed to read.',
  },
  unknownResourceStatus: {
    u: 'U4',
    sides: [404, 400],
    sameOutcome: true,
    about: 'Status of a create for a resource that does not exist.',
  },
  sameAgainStatus: {
    u: 'U4',
    sides: ['allowed', '409'],
    sameOutcome: false,
    about: 'Whether a user may subscribe to one resource twice in the same way.',
  },
  othersSubscriptionStatus: {
    u: 'U4',
    sides: [404, 403],
    sameOutcome: true,
    about: "Status of a get or delete of another user's subscription.",
  },
  goneStatus: {
    u: 'U4',
    sides: [404, 410],
    sameOutcome: true,
    about: 'Status of a get or delete of a subscription that was removed.',
  },
  challenge: {
    u: 'U4',
    sides: ['sent', 'missing'],
    sameOutcome: true,
    about: 'Whether a 401 carries WWW-Authenticate.',
  },
  tokenErrorBody: {
    u: 'U4',
    sides: ['rfc6749', 'text', 'empty'],
    sameOutcome: true,
    about: 'Body of an error of the token endpoint.',
  },
  createStatus: {
    u: 'U5',
    sides: [200, 201, 202],
    sameOutcome: true,
    about: 'Status of a successful create.',
  },
  requestItemType: {
    u: 'U6',
    sides: ['lower', 'either', 'capitalized'],
    sameOutcome: true,
    about: 'Letter case of ItemType that a create requires.',
  },
  notifiedItemType: {
    u: 'U6',
    sides: ['capitalized', 'lower'],
    sameOutcome: true,
    about: 'Letter case of ItemType in a notification.',
  },
  documentParentType: {
    u: 'U7',
    sides: ['SessionDocuments', 'either', 'Sessions'],
    sameOutcome: true,
    about: 'The ParentResourceType that a session document subscription requires.',
  },
  comprehensiveList: {
    u: 'U8',
    sides: ['as the list', 'bare array', '$values', 'empty object', 'not JSON', '404'],
    sameOutcome: true,
    about: 'Response of the list of comprehensive subscriptions.',
  },
  plainListHolds: {
    u: 'U8',
    sides: ['plain only', 'both kinds'],
    sameOutcome: true,
    about: 'Whether the plain list also contains comprehensive subscriptions.',
  },
  listPrime: {
    u: 'U9',
    sides: ['every prime', 'home prime'],
    sameOutcome: true,
    about: "Whether a list contains the user's subscriptions in all workspaces, or only in the user's own.",
  },
  recordStatus: {
    u: 'U10',
    sides: ['Active', 'Inactive', 'active'],
    sameOutcome: false,
    about: 'The Status that records show (notifications are sent anyway).',
  },
  subscriptionOfDeleted: {
    u: 'U10',
    sides: ['kept', 'removed'],
    sameOutcome: true,
    about: 'What happens to a subscription when its resource is deleted.',
  },
  denyError: {
    u: 'U11',
    sides: ['access_denied', 'server_error', 'temporarily_unavailable', 'user_cancelled'],
    free: true,
    sameOutcome: true,
    about: 'The `error` returned for a denied authorization.',
  },
  denyDescription: {
    u: 'U11',
    sides: ['missing', 'sent'],
    sameOutcome: true,
    about: 'Whether it includes `error_description`.',
  },
  revocation: {
    u: 'U12',
    sides: ['refresh tokens only', 'access tokens too'],
    sameOutcome: true,
    about: 'Which tokens end immediately when a user revokes the app.',
  },
  revokedSubscriptions: {
    u: 'U12',
    sides: ['kept', 'removed'],
    sameOutcome: true,
    about: "What happens to a user's subscriptions when the user revokes the app.",
  },
  oldAccessToken: {
    u: 'U12',
    sides: ['ends at refresh', 'lives to its end'],
    sameOutcome: true,
    about: 'Whether an access token still works after the refresh token issued with it was used.',
  },
  itemIds: {
    u: 'U13',
    sides: ['number', 'guid', 'opaque'],
    sameOutcome: true,
    about: 'Format of item and document ids, for those created while it is set (the seed: at the start).',
  },
  numbers: {
    u: 'U14',
    sides: ['as listed', 'as strings'],
    sameOutcome: true,
    about: 'Whether EndpointId, SubscriptionId, TotalCount and the Source of notifications are numbers.',
  },
  recordSource: {
    u: 'U14',
    sides: ['string', 'number'],
    sameOutcome: true,
    about: 'Type of Source in a subscription record.',
  },
  subscriptionIds: {
    u: 'U14',
    sides: ['small', 'large'],
    sameOutcome: true,
    about: 'Whether ids of new subscriptions exceed 32 bits.',
  },
  expiresIn: {
    u: 'U14',
    sides: ['number', 'string', 'missing'],
    sameOutcome: true,
    about: 'Format of expires_in.',
  },
  refreshExpiresIn: {
    u: 'U14',
    sides: ['number', 'string', 'missing'],
    sameOutcome: true,
    about: 'Format of refresh_token_expires_in.',
  },
  unknownFields: {
    u: 'U15',
    sides: ['none', 'sent'],
    sameOutcome: true,
    about: 'Whether notifications, records and token responses contain undocumented fields.',
  },
  absentFields: {
    u: 'U15',
    sides: ['null', 'missing'],
    sameOutcome: true,
    about: 'How IdPath, Path and ItemType are omitted when they do not apply.',
  },
  eventNames: {
    u: 'U15',
    sides: ['as listed', 'new EventType', 'new ResourceType'],
    sameOutcome: false,
    about: 'Whether moves and check-ins have their own EventType, or documents their own ResourceType.',
  },
  scopeNeeded: {
    u: 'U16',
    sides: ['none', 'full_user', 'jobs'],
    sameOutcome: false,
    about: 'The scope that the subscription endpoints require; without it they answer 403.',
  },
  scopeField: {
    u: 'U16',
    sides: ['sent', 'missing'],
    sameOutcome: true,
    about: 'Whether a token response names the granted scopes.',
  },
  deletionAtCreate: {
    u: 'U17',
    sides: ['no', 'notified before the answer'],
    sameOutcome: false,
    about: 'Whether the resource is deleted, with a notification, before its create is answered.',
  },
  resourceIds: {
    u: 'U18',
    sides: ['hyphens', 'digits'],
    sameOutcome: true,
    about: 'Format of project and session ids in Resource.',
  },
  resourceEnd: {
    u: 'U18',
    sides: ['slash', 'no slash'],
    sameOutcome: true,
    about: 'Whether Resource ends with a slash.',
  },
  requestIds: {
    u: 'U18',
    sides: ['hyphens only', 'either'],
    sameOutcome: true,
    about: 'Format of project and session ids that a create requires.',
  },
  requestsPerMinute: {
    u: 'U19',
    sides: [0, 60],
    free: true,
    sameOutcome: true,
    about:
      "Requests a user can make per minute of the service's clock (0: unlimited); beyond that 429 with Retry-After.",
  },
  concurrentCreates: {
    u: 'U19',
    sides: ['allowed', '429'],
    sameOutcome: true,
    about: 'Whether a user can have two creates in flight at once (with `429` each takes 30 ms).',
  },
  subscriptionMaximum: {
    u: 'U19',
    sides: [0, 2],
    free: true,
    sameOutcome: false,
    about: 'How many subscriptions a user can have (0: unlimited); beyond that 403.',
  },
  listings: {
    u: 'U20',
    sides: ['absent', 'present'],
    sameOutcome: true,
    about: 'Whether projects, items, sessions and documents can be listed (in a format of our own).',
  },
  comprehensiveResource: {
    u: 'U21',
    sides: ['item', 'subscribed'],
    sameOutcome: true,
    about: 'Whose path a comprehensive notification about an item or document has as its Resource.',
  },
  pathRoot: {
    u: 'U22',
    sides: ['with root', 'without root'],
    sameOutcome: true,
    about: 'Whether Path starts with the root folder (IdPath always does).',
  },
  pathSlashes: {
    u: 'U22',
    sides: ['none', 'leading', 'both'],
    sameOutcome: true,
    about: 'Whether Path and IdPath have leading and trailing slashes.',
  },
  checkInToPlainFile: {
    u: 'U23',
    sides: ['no', 'yes'],
    sameOutcome: false,
    about: 'Whether a plain subscription to a file is notified of its check-ins.',
  },
  pkce: {
    u: 'other',
    sides: ['checked', 'ignored'],
    sameOutcome: true,
    about: 'Whether a code_challenge (S256) is checked against the code_verifier, or both are ignored.',
  },
  refreshAnswer: {
    u: 'other',
    sides: ['new refresh token', 'no refresh token'],
    sameOutcome: true,
    about: 'Whether a refresh issues a new refresh token; if not, the used one stays valid.',
  },
  userName: {
    u: 'other',
    sides: ['sent', 'missing'],
    sameOutcome: false,
    about: 'Whether a token response names its user.',
  },
  tokenType: {
    u: 'other',
    sides: ['bearer', 'Bearer'],
    sameOutcome: true,
    about: 'Letter case of token_type.',
  },
  folderDeletion: {
    u: 'other',
    sides: ['folder alone', 'each item'],
    sameOutcome: false,
    about: 'Whether deleting a folder also notifies of everything in it, innermost first.',
  },
  timestampOffset: {
    u: 'other',
    sides: ['+00:00', '-07:00', '+05:30'],
    sameOutcome: true,
    about: 'UTC offset of Timestamp.',
  },
} as const satisfies Record<string, Definition>;

type Table = typeof table;
type Widened<V> = V extends number ? number : V extends string ? string : never;
type ValueOf<D extends Definition> = D extends { free: true }
  ? Widened<D['sides'][number]>
  : D['sides'][number];

export type SwitchName = keyof Table;
export type SwitchValues = { -readonly [N in SwitchName]: ValueOf<Table[N]> };

export type SwitchRow = {
  readonly u: UNumber;
  readonly name: SwitchName;
  readonly sides: readonly Value[];
  readonly default: Value;
  /** The sides are examples; any value of the same type is accepted. */
  readonly free: boolean;
  /**
   * Whether the usual journey (link, subscribe, change something, see it posted) must have the same outcome on every side. False if a side
   * refuses something, sends something else, or removes something.
   */
  readonly sameOutcome: boolean;
  readonly about: string;
};

const definitions: Record<SwitchName, Definition> = table;
const names = Object.keys(table) as SwitchName[];

/** Every switch of the practice service, for tests to iterate over and pages to show. */
export const switches: readonly SwitchRow[] = names.map((name) => {
  const { u, sides, free, sameOutcome, about } = definitions[name];
  return { u, name, sides, default: sides[0], free: free === true, sameOutcome, about };
});

/** The switches of one running service. */
export type SwitchBoard = {
  get<N extends SwitchName>(name: N): SwitchValues[N];
  values(): SwitchValues;
  /** Sets some switches, effective immediately. Throws PracticeError (`invalid`) and sets none if one is invalid. */
  set(some: Partial<SwitchValues>): void;
  /** The same for unvalidated values from outside. */
  setUnchecked(some: Record<string, unknown>): void;
  /** Resets every switch to its default. */
  reset(): void;
};

/** Creates the switches of one service, at their defaults except those given. */
export function makeSwitches(start: Partial<SwitchValues>): SwitchBoard {
  let values = defaults();
  function setUnchecked(some: Record<string, unknown>): void {
    for (const [name, value] of Object.entries(some)) check(name, value);
    values = { ...values, ...some };
  }
  setUnchecked(start);
  return {
    get: (name) => values[name],
    values: () => ({ ...values }),
    set: setUnchecked,
    setUnchecked,
    reset() {
      values = defaults();
    },
  };
}

function defaults(): SwitchValues {
  return Object.fromEntries(switches.map((row) => [row.name, row.default])) as SwitchValues;
}

function check(name: string, value: unknown): void {
  const row = switches.find((one) => one.name === name);
  if (!row) throw new PracticeError('invalid', `There is no switch "${name}".`);
  const fits = row.free ? typeof value === typeof row.default : row.sides.some((side) => side === value);
  if (!fits) {
    throw new PracticeError('invalid', `The sides of the switch "${name}" are ${row.sides.join(', ')}.`);
  }
}
