import type { OptionalFeature } from '../../core/model/slack-access.ts';
import type { PausedChannel, StatusCount, StuckChannel } from '../../store/status.ts';
import { describeFeatures } from './stored-installations.ts';

type StatusPage = {
  readonly counts: readonly StatusCount[];
  readonly pausedChannels: readonly PausedChannel[];
  readonly stuckChannels: readonly StuckChannel[];
  /** What is off in which workspace or organization, for lack of scopes. */
  readonly off: readonly { readonly id: string; readonly features: readonly OptionalFeature[] }[];
  /** Where an admin installs the bot again. */
  readonly installUrl: string;
  readonly now: Date;
};

/** Maximum workspaces with a line of their own: those with the most waiting events. */
const mostWorkspaces = 200;

/** Formats the output of `npm run status`, which contains only ids and counts. */
export function statusPage({ counts, pausedChannels, stuckChannels, now, ...page }: StatusPage): string {
  const stuck = stuckChannels.map(({ teamId, channelId, since }) => [
    `${teamId}/${channelId}`,
    age(since, now, 'for '),
  ]);
  return [
    summary(counts, now),
    channelList(counts, pausedChannels),
    stuck.length === 0 ? '' : `Stuck channels, which have something to post\n${table(stuck)}`,
    workspaceTable(counts, now),
    offList(page),
  ]
    .filter((block) => block !== '')
    .join('\n\n');
}

function summary(counts: readonly StatusCount[], now: Date): string {
  const all = pick(counts);
  const { waiting, held, dead } = all.events;
  const lines: [string, number, string][] = [
    ['workspaces', new Set(counts.map(({ teamId }) => teamId)).size, ''],
    ['links', all.sum('link').count, all.by('link', linkStates)],
    ['subscriptions', all.sum('subscription').count, all.by('subscription', subscriptionStates)],
    ['paused channels', all.sum('paused channel').count, ''],
    ['waiting events', waiting.count, age(waiting.oldest, now, 'the oldest for ')],
    ['held events', held.count, all.by('event', heldStates)],
    ['dead letters', dead.count, age(dead.oldest, now, 'the oldest for ')],
  ];
  return table(lines);
}

const linkStates = { active: 'active', relink: 'to be linked again', frozen: 'of people who left' };
const subscriptionStates = { active: 'active', paused: 'paused', pending: 'being set up', ended: 'ended' };
const heldStates = { digest: 'for a digest', muted: 'by a mute', paused: 'by a pause' };

function offList({ off, installUrl }: Pick<StatusPage, 'off' | 'installUrl'>): string {
  if (off.length === 0) return '';
  const rows = off.map(({ id, features }) => [id, describeFeatures(features)]);
  return ['Off for lack of scopes', table(rows), `To grant them, install the bot again: ${installUrl}`].join(
    '\n',
  );
}

function channelList(counts: readonly StatusCount[], listed: readonly PausedChannel[]): string {
  if (listed.length === 0) return '';
  const more = pick(counts).sum('paused channel').count - listed.length;
  const rows = listed.map(({ teamId, channelId, reason }) => [`${teamId}/${channelId}`, reason]);
  return ['Paused channels', table(rows), ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}

function workspaceTable(counts: readonly StatusCount[], now: Date): string {
  const teams = Object.entries(Object.groupBy(counts, ({ teamId }) => teamId))
    .map(([teamId, ofTeam = []]) => ({ teamId, ...pick(ofTeam) }))
    .toSorted(
      (one, other) =>
        other.events.waiting.count - one.events.waiting.count || (one.teamId < other.teamId ? -1 : 1),
    );
  if (teams.length === 0) return '';
  const head = ['workspace', 'links', 'active', 'paused', 'being set up', 'paused channels'];
  const rows = teams
    .slice(0, mostWorkspaces)
    .map(({ name, sum, events: { waiting, held, dead } }) => [
      name,
      sum('link').count,
      sum('subscription', 'active').count,
      sum('subscription', 'paused').count,
      sum('subscription', 'pending').count,
      sum('paused channel').count,
      waiting.count,
      age(waiting.oldest, now, '') || '-',
      held.count,
      dead.count,
    ]);
  const hidden = teams.length - rows.length;
  return [
    table([[...head, 'waiting', 'oldest', 'held', 'dead letters'], ...rows]),
    ...(hidden > 0 ? [`and ${hidden} more workspaces`] : []),
  ].join('\n');
}

/** Sums some of the counts up. */
function pick(counts: readonly StatusCount[]) {
  /** Those of a kind, in these states if any are given, and when the oldest arrived. */
  const sum = (kind: StatusCount['kind'], ...states: readonly string[]) => {
    const found = counts.filter((one) => one.kind === kind && (!states[0] || states.includes(one.state)));
    const times = found.flatMap(({ oldest }) => oldest?.getTime() ?? []);
    return {
      count: found.reduce((total, { count }) => total + count, 0),
      oldest: times.length === 0 ? null : new Date(Math.min(...times)),
    };
  };
  const by = (kind: StatusCount['kind'], names: Readonly<Record<string, string>>) =>
    Object.entries(names)
      .map(([state, name]) => [sum(kind, state).count, name] as const)
      .filter(([count]) => count > 0)
      .map(([count, name]) => `${count} ${name}`)
      .join(', ');
  const enterprise = counts.find(({ enterpriseId }) => enterpriseId !== null)?.enterpriseId;
  const events = {
    waiting: sum('event', 'waiting'),
    held: sum('event', ...Object.keys(heldStates)),
    dead: sum('event', 'dead'),
  };
  return { name: `${enterprise ? `${enterprise}/` : ''}${counts[0]?.teamId ?? ''}`, sum, by, events };
}

/** Formats an age as `3 s`, `5 min`, `2 h` or `4 d` after the prefix `before`; empty if there is no time. */
function age(since: Date | null, now: Date, before: string): string {
  if (since === null) return '';
  const seconds = Math.max(0, Math.round((now.getTime() - since.getTime()) / 1_000));
  const [, unit, of] = [
    [120, 's', 1],
    [7_200, 'min', 60],
    [172_800, 'h', 3_600],
    [Number.POSITIVE_INFINITY, 'd', 86_400],
  ].find(([below]) => seconds < Number(below)) ?? [0, 's', 1];
  return `${before}${Math.floor(seconds / Number(of))} ${unit}`;
}

/** Lays out rows in columns as wide as their widest cell, with numbers aligned right. */
function table(rows: readonly (readonly (string | number)[])[]): string {
  const width = (column: number) => Math.max(...rows.map((row) => String(row[column] ?? '').length));
  const widths = (rows[0] ?? []).map((_cell, column) => width(column));
  const isNumber = (column: number) => rows.slice(1).every((row) => typeof row[column] === 'number');
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          isNumber(column) || typeof cell === 'number'
            ? String(cell).padStart(widths[column] ?? 0)
            : String(cell).padEnd(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
