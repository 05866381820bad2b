const DAY_MS = 86_400_000;

type Formats = Readonly<Record<string, Intl.DateTimeFormatOptions>>;

/** Slack docs, formatting dates: the meaning of each token. Those with `_pretty` say today, yesterday or tomorrow where possible. */
const FORMATS: Formats = {
  date_num: { year: 'numeric', month: '2-digit', day: '2-digit' },
  date: { month: 'long', day: 'numeric', year: 'numeric' },
  date_short: { month: 'short', day: 'numeric', year: 'numeric' },
  date_long: { weekday: 'long', month: 'long', day: 'numeric', year: 'numeric' },
  time: { hour: 'numeric', minute: '2-digit' },
  time_secs: { hour: 'numeric', minute: '2-digit', second: '2-digit' },
};

/** Where and when a date is read. */
export type Looking = {
  /** IANA name. */
  readonly zone: string;
  readonly now: Date;
};

/**
 * Formats one of Slack's dates: `{date_short_pretty} at {time}`. Unknown tokens stay as they are.
 * @param seconds since 1970
 */
export function slackDate(seconds: number, format: string, looking: Looking): string {
  const at = new Date(seconds * 1000);
  return format.replaceAll(/\{(\w+)\}/g, (token, name: string) => tokenText(name, at, looking) ?? token);
}

function tokenText(name: string, at: Date, looking: Looking): string | undefined {
  if (name === 'ago') return ago(at, looking.now);
  const plain = name.replace(/_pretty$/, '');
  const day = plain === name ? undefined : nearDay(at, looking);
  const format = FORMATS[plain];
  return (
    day ?? (format && new Intl.DateTimeFormat('en-US', { ...format, timeZone: looking.zone }).format(at))
  );
}

function nearDay(at: Date, { zone, now }: Looking): string | undefined {
  const dayOf = new Intl.DateTimeFormat('en-CA', { timeZone: zone });
  const day = dayOf.format(at);
  const near = { yesterday: -DAY_MS, today: 0, tomorrow: DAY_MS };
  return Object.entries(near).find(([, away]) => day === dayOf.format(new Date(now.getTime() + away)))?.[0];
}

function ago(at: Date, now: Date): string {
  const minutes = Math.round((now.getTime() - at.getTime()) / 60_000);
  const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  if (Math.abs(minutes) < 60) return relative.format(-minutes, 'minute');
  const hours = Math.round(minutes / 60);
  return Math.abs(hours) < 24
    ? relative.format(-hours, 'hour')
    : relative.format(-Math.round(hours / 24), 'day');
}
