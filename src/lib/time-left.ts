/**
 * Says whether there is time left for more. What comes round each minute ends when it has had its share, since a service that does not
 * answer costs ten seconds a call, and others wait for their turn.
 */
export function timeLeft(clock: { readonly now: () => Date }, milliseconds: number): () => boolean {
  const end = clock.now().getTime() + milliseconds;
  return () => clock.now().getTime() < end;
}
