/** For what an event can be made to wait, which is then told in a summary. */
export type HeldReason = 'muted' | 'paused' | 'digest';
