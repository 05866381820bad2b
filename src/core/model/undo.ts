/** For so long what a member changed can be undone by a button. */
export const undoMinutes = 10;
