/** Why an event is held, to be posted in a summary later. */
export type HeldReason = 'muted' | 'paused' | 'digest';

/** Why changes are posted in a summary: they were held, or no process of the bot was running. */
export type SummaryCause = HeldReason | 'down';
