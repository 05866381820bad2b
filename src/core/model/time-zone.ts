/** Returns whether this Node knows the zone. */
export function isZone(zone: string): boolean {
  return zone !== '' && knownZone(zone) === zone;
}

/** Returns the zone, or `Etc/UTC` if this Node does not know it: an unusable zone must not stop whatever needs a clock. */
export function knownZone(zone: string | null | undefined): string {
  if (!zone) return 'Etc/UTC';
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return zone;
  } catch {
    return 'Etc/UTC';
  }
}
