/** Why an event can be made to wait, to be posted in a summary later. */
export type HeldReason = 'muted' | 'paused' | 'digest';

/** Why changes are posted in a summary: what they were made to wait for, or that no process of the bot was running. */
export type SummaryCause = HeldReason | 'down';
