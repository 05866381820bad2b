/**
 * Returns a function that says whether there is time left. A chore that runs every minute stops when its share is used up: a service that
 * does not answer costs ten seconds per call, while other chores wait for their turn.
 */
export function timeLeft(clock: { readonly now: () => Date }, milliseconds: number): () => boolean {
  const end = clock.now().getTime() + milliseconds;
  return () => clock.now().getTime() < end;
}
