/** Returns how many answers were not 200. */
export function refusedIn(statuses: Readonly<Record<number, number>>): number {
  return Object.entries(statuses).reduce((sum, [status, count]) => (status === '200' ? sum : sum + count), 0);
}
