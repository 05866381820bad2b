import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import type { Channel, SlackPerson, Workspace } from '../model/people.ts';
import type { SubscribeRequest } from '../model/request.ts';
import type { WorkspaceSettings } from '../model/settings.ts';
import type { Delivery } from '../model/subscription.ts';
import type { FaultOf, FileRow, FileVerdict } from '../model/subscription-file.ts';
import { filtersFrom, noFilters } from '../model/typed-settings.ts';
import type { ReadFile } from './read-file.ts';

/** Where a row would go and who would own it, or why it cannot be imported. `channel` is null for a direct message that is not known yet. */
export type PlannedPlace =
  | { readonly owner: SlackPerson; readonly channel: Channel | null }
  | { readonly fault: FaultOf };

type PlanImportDeps = {
  readonly subscriptions: Pick<Subscriptions, 'ofTarget'>;
  readonly settingsOf: (workspace: Workspace) => Promise<WorkspaceSettings>;
  readonly place: (row: FileRow) => Promise<PlannedPlace>;
};

/** Returns what importing would do with each line, sorted by line. Changes nothing. */
export async function planImport(
  { rows, faults }: ReadFile,
  deps: PlanImportDeps,
): Promise<{ readonly verdicts: readonly FileVerdict[] }> {
  const firstLines = new Map<string, number>();
  const verdicts: FileVerdict[] = faults.map((fault) => ({ kind: 'refused', fault }));
  for (const row of rows) {
    const { line } = row;
    const placed = await deps.place(row);
    if ('fault' in placed) {
      verdicts.push({ kind: 'refused', fault: { line, ...placed.fault } });
      continue;
    }
    const key = JSON.stringify([
      placed.owner.teamId,
      row.channelId,
      placed.channel === null && placed.owner.userId,
      row.request.target,
    ]);
    const firstLine = firstLines.get(key);
    if (firstLine === undefined) firstLines.set(key, line);
    else {
      verdicts.push({ kind: 'refused', fault: { line, kind: 'twice', firstLine } });
      continue;
    }
    verdicts.push(await verdictOn(row, placed, deps));
  }
  return { verdicts: verdicts.toSorted((one, other) => lineOf(one) - lineOf(other)) };
}

async function verdictOn(
  row: FileRow,
  { owner, channel }: Exclude<PlannedPlace, { fault: unknown }>,
  { subscriptions, settingsOf }: PlanImportDeps,
): Promise<FileVerdict> {
  const { target } = row.request;
  const { projects } = await settingsOf(owner);
  if ('projectId' in target && projects.length > 0 && !projects.includes(target.projectId)) {
    const { projectId } = target;
    return { kind: 'refused', fault: { line: row.line, kind: 'project', projectId } };
  }
  const before = channel && (await subscriptions.ofTarget(channel, target));
  if (before === null) return { kind: 'add', row };
  return { kind: isSame(row, before) ? 'same' : 'change', row };
}

/** Returns the line that a verdict is about. */
function lineOf(verdict: FileVerdict): number {
  return verdict.kind === 'refused' ? verdict.fault.line : verdict.row.line;
}

/** Fills in the defaults: a file describes a subscription completely, so a filter it does not mention is empty. */
export function completed({ request }: Pick<FileRow, 'request'>): SubscribeRequest {
  return { ...request, filters: filtersFrom(request, noFilters), threads: request.threads ?? false };
}

/** Returns the delivery of a row with its own time zone; undefined if the zone of the person who imports it applies. */
export function deliveryOf({
  request: { when },
  zone,
}: Pick<FileRow, 'request' | 'zone'>): Delivery | undefined {
  return when?.when === 'daily' && zone !== null ? { ...when, zone } : undefined;
}

function isSame(row: FileRow, before: Subscription): boolean {
  const { filters, comprehensive, threads } = completed(row);
  const { when } = row.request;
  const zone = row.zone ?? (before.delivery.when === 'daily' ? before.delivery.zone : '');
  const delivery = when === undefined ? before.delivery : when.when === 'daily' ? { ...when, zone } : when;
  const of = (settings: Pick<Subscription, 'filters' | 'comprehensive' | 'threads' | 'delivery'>) => {
    const { only, paths, by, notBy } = settings.filters;
    const { when: kind, ...on } = settings.delivery;
    return JSON.stringify([
      settings.comprehensive,
      settings.threads,
      [only, paths, by, notBy],
      [kind, Object.entries(on).toSorted(([one], [other]) => one.localeCompare(other))],
    ]);
  };
  // Where the service's own name is shown, a typed one changes nothing.
  const isOwnName = before.resourceName === before.typedName;
  if (isOwnName && row.request.name !== undefined && row.request.name !== before.typedName) return false;
  const wanted = {
    filters: { ...noFilters, ...filters } as Subscription['filters'],
    comprehensive,
    threads: threads === true,
    delivery,
  };
  return of(wanted) === of(before);
}
