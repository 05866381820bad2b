import { Document, Scalar, YAMLMap, YAMLSeq } from 'yaml';
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
  const document = new Document(new YAMLMap(), { schema: 'failsafe' });
  document.set('team', teamId);
  if (enterpriseId !== null) document.set('enterprise', enterpriseId);
  const channels = new YAMLMap();
  const byChannel = Map.groupBy(rows, ({ channelId }) =>
    isDirect(channelId) ? ownDirectMessage : channelId,
  );
  for (const [channelId, own] of byChannel) {
    const entries = new YAMLSeq();
    entries.items.push(...own.map(entryOf));
    channels.set(channelId, entries);
  }
  document.set('channels', channels);
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function entryOf(row: Exported): YAMLMap {
  const entry = new YAMLMap();
  const words = new Scalar(wordsOf(row));
  const { resourceName, typedName } = row;
  if (resourceName !== null && resourceName !== typedName) {
    words.comment = ` ${resourceName.replaceAll(/\p{Cc}+/gu, ' ').slice(0, 60)}`.toWellFormed();
  }
  entry.set('subscribe', words);
  entry.set('owner', row.ownerUserId);
  if (row.delivery.when === 'daily') entry.set('zone', row.delivery.zone);
  return entry;
}

/**
 * Returns the words after `/subscribe`, without defaults. The delivery is always included, because the importing workspace may have
 * another default.
 */
function wordsOf(row: Exported): string {
  const line = formatRequest({ ...requestOf(row), threads: row.threads || undefined });
  return line.slice('subscribe '.length);
}
