/** How long a button can undo a member's change, in minutes. */
export const undoMinutes = 10;
