import type { Fields } from '../slack/json.ts';

/** What one person sees in the practice Slack, as returned by its `GET /practice/state`. */
export type SlackState = {
  readonly users: readonly SlackUser[];
  readonly channels: readonly SlackChannel[];
  /** The requested channel; null if the person cannot see it. */
  readonly channel: SlackChannel | null;
  readonly messages: readonly SlackMessage[];
  /** Ephemeral messages, visible only to the person. */
  readonly ephemerals: readonly SlackMessage[];
  /** Open modals, the topmost last. */
  readonly views: readonly SlackView[];
  readonly home: SlackView | null;
};

export type SlackUser = {
  readonly id: string;
  readonly realName: string;
  readonly tz: string;
  readonly isGuest: boolean;
  readonly isAdmin: boolean;
  /** From another organization. */
  readonly isStranger: boolean;
  readonly isBot: boolean;
};

export type SlackChannel = {
  readonly id: string;
  readonly name: string;
  readonly kind: 'public' | 'private' | 'im' | 'mpim';
  readonly botIn: boolean;
  readonly members: readonly string[];
};

export type SlackMessage = {
  readonly id: string;
  readonly ts: string;
  readonly threadTs: string | null;
  readonly ephemeral: boolean;
  readonly text: string;
  readonly blocks: readonly Fields[];
  /** Below it; those of links that people post are previews. */
  readonly attachments: readonly Fields[];
  readonly author: { readonly name: string; readonly isBot: boolean };
  readonly edits: number;
  /** Milliseconds since the epoch. */
  readonly postedAt: number;
  /** `slack`: Slack's own notice that the app did not respond. */
  readonly via: string;
};

export type SlackView = {
  readonly id: string;
  readonly type: 'modal' | 'home';
  readonly hash: string;
  readonly title: unknown;
  readonly submit: unknown;
  readonly close: unknown;
  readonly blocks: readonly Fields[];
  /** By block id. */
  readonly errors: Readonly<Record<string, string>>;
  /** By block id, then action id. */
  readonly values: Readonly<Record<string, Readonly<Record<string, Fields>>>>;
};

/** The objects at the practice service, as returned by its `GET /practice/state`. */
export type ServiceState = {
  readonly users: readonly { readonly email: string; readonly name: string }[];
  readonly projects: readonly ServiceProject[];
  readonly sessions: readonly ServiceSession[];
  readonly subscriptions: readonly {
    readonly id: number;
    readonly user: string;
    readonly resource: string;
    readonly comprehensive: boolean;
  }[];
  readonly deliveries: readonly ServiceDelivery[];
};

export type ServiceProject = {
  /** With hyphens. */
  readonly id: string;
  readonly name: string;
  readonly members: Readonly<Record<string, string>>;
  readonly tree: ServiceItem;
};

export type ServiceItem = {
  readonly id: string;
  readonly name: string;
  readonly kind: 'File' | 'Folder';
  readonly version: number;
  readonly children: readonly ServiceItem[];
};

export type ServiceSession = {
  readonly id: string;
  readonly name: string;
  readonly status: 'Active' | 'Finalizing';
  readonly expires: string;
  readonly members: Readonly<Record<string, string>>;
  readonly documents: readonly { readonly id: string; readonly name: string }[];
};

export type ServiceDelivery = {
  readonly id: number;
  readonly state: string;
  readonly attempts: readonly { readonly status: number | null }[];
  readonly notifications: readonly Fields[];
};

/** Fetches the state of a practice server. Throws if it does not respond. */
export async function fetchState<T>(address: URL): Promise<T> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address.origin} answered ${answer.status}.`);
  return (await answer.json()) as T;
}
