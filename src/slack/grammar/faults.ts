import type { Fault } from '../../core/model/mistake.ts';
import type { SubscribeRequest } from '../../core/model/request.ts';

/** What a subscribe line can set, apart from what is subscribed to. */
export type SaidOptions = Pick<
  SubscribeRequest,
  'comprehensive' | 'filters' | 'when' | 'threads' | 'name' | 'ping'
>;

/** An option whose value is wrong or missing. Nothing of the line runs then. */
export type ValueFault = Fault & {
  /** The values to offer, each as typed and as what it sets. */
  readonly instead?: readonly { readonly words: string; readonly said: Partial<SaidOptions> }[];
};
