/** The zone as it is, or `Etc/UTC` where this Node does not know it: a zone that cannot be used must not stop what needs a clock. */
export function knownZone(zone: string | null | undefined): string {
  if (!zone) return 'Etc/UTC';
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return zone;
  } catch {
    return 'Etc/UTC';
  }
}
