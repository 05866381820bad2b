import type { Subscription } from '../../store/tables/subscription-row.ts';
import { formatRequest } from '../model/format-request.ts';
import { isDirect, type Workspace } from '../model/people.ts';
import { ownDirectMessage } from '../model/subscription-file.ts';
import { requestOf } from '../model/typed-settings.ts';

/** The fields of a subscription that a file contains. */
export type Exported = Pick<
  Subscription,
  | 'channelId'
  | 'ownerUserId'
  | 'target'
  | 'comprehensive'
  | 'filters'
  | 'delivery'
  | 'threads'
  | 'typedName'
  | 'resourceName'
>;

/** Formats subscriptions of one workspace as a YAML document: each as the words to type, grouped by channel. `rows` can be in any order. */
export function writeFile({ teamId, enterpriseId }: Workspace, rows: readonly Exported[]): string {
  const byChannel = Map.groupBy(rows, ({ channelId }) =>
    isDirect(channelId) ? ownDirectMessage : channelId,
  );
  const lines = [
    `team: ${teamId}`,
    ...(enterpriseId === null ? [] : [`enterprise: ${enterpriseId}`]),
    'channels:',
    ...[...byChannel].flatMap(([channelId, own]) => [`  ${channelId}:`, ...own.flatMap(linesOf)]),
  ];
  return `${lines.join('\n')}\n`;
}

function linesOf(row: Exported): string[] {
  const { resourceName, typedName, ownerUserId, delivery } = row;
  const words = wordsOf(row);
  const name = resourceName === null || resourceName === typedName ? '' : ` # ${oneLine(resourceName)}`;
  return [
    // Otherwise YAML would take what follows for a comment, or the words for a field.
    `    - subscribe: ${/:(?:\s|$)|\s#/.test(words) ? JSON.stringify(words) : words}${name}`,
    `      owner: ${ownerUserId}`,
    ...(delivery.when === 'daily' ? [`      zone: ${delivery.zone}`] : []),
  ];
}

function oneLine(name: string): string {
  return name
    .replaceAll(/\p{Cc}+/gu, ' ')
    .slice(0, 60)
    .toWellFormed();
}

/**
 * Returns the words after `/subscribe`, without defaults. The delivery is always included, because the importing workspace may have
 * another default.
 */
function wordsOf(row: Exported): string {
  const line = formatRequest({ ...requestOf(row), threads: row.threads || undefined });
  return line.slice('subscribe '.length);
}
