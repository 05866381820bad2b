import type { Mistake } from './mistake.ts';
import type { SubscribeRequest } from './request.ts';
import type { Target } from './subscription.ts';

/** In a file, stands for the direct message between a subscription's owner and the bot. */
export const ownDirectMessage = 'me';

/** One subscription as read from a file. */
export type FileRow = {
  /** Counts from 1. */
  readonly line: number;
  /** The workspace that the file names for it; null if it names none. */
  readonly teamId: string | null;
  readonly enterpriseId: string | null;
  /** Slack's id, or `ownDirectMessage`. */
  readonly channelId: string;
  /** Null if the file names no owner. */
  readonly ownerUserId: string | null;
  readonly request: SubscribeRequest & { readonly target: Target };
  /** IANA name of the zone of a daily digest; null for the zone of the person who imports it. */
  readonly zone: string | null;
};

/** Why a line of a file cannot be imported. `quote`: a quotation mark is not closed. `too much`: there was no time to read it. */
export type FileFault = { readonly line: number } & (
  | { readonly kind: 'shape'; readonly expected: string }
  | { readonly kind: 'key'; readonly key: string; readonly known: readonly string[] }
  | { readonly kind: 'channel' | 'owner' | 'zone' | 'team'; readonly value: string }
  | { readonly kind: 'words'; readonly mistake: Mistake }
  | { readonly kind: 'kind unknown'; readonly id: string }
  | { readonly kind: 'no owner' | 'shared channel' | 'quote' | 'too much' }
  | { readonly kind: 'twice'; readonly firstLine: number }
  | { readonly kind: 'other workspace' | 'not installed'; readonly teamId: string }
  | { readonly kind: 'project'; readonly projectId: string }
  | { readonly kind: 'not in channel' | 'cannot post'; readonly channelId: string }
);

/** A fault without its line. */
export type FaultOf<Fault = FileFault> = Fault extends FileFault ? Omit<Fault, 'line'> : never;

/** What importing a line would do. */
export type FileVerdict =
  | { readonly kind: 'add' | 'change' | 'same'; readonly row: FileRow }
  | { readonly kind: 'refused'; readonly fault: FileFault };
