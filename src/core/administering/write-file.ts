import { Document, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import { formatRequest } from '../model/format-request.ts';
import { isDirect, type Workspace } from '../model/people.ts';
import { ownDirectMessage } from '../model/subscription-file.ts';
import { requestOf } from '../model/typed-settings.ts';

/** A subscription as far as a file has it. */
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

/**
 * The subscriptions of one workspace as a YAML document: each in the words in which it would be typed, below its channel. `rows` of one
 * channel need not stand together.
 */
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
 * What stands behind `/subscribe`, without what is the default; the delivery is always there, since a workspace can have another default
 * than the one that this was made with.
 */
function wordsOf(row: Exported): string {
  const line = formatRequest({ ...requestOf(row), threads: row.threads || undefined });
  return line.slice('subscribe '.length);
}
