import type { Installation } from '@slack/oauth';
import { type OptionalFeature, optionalFeatures } from '../../core/model/slack-access.ts';
import type { Sealing } from '../../store/sealing/sealing.ts';
import { column, type Db } from '../../store/sql.ts';
import { makeSealedRecords, sealedKeyPrefix } from '../../store/tables/records.ts';

/** An installation in a workspace or organization: an empty token if it has none, null if its scopes were not stored. */
type StoredInstallation = {
  readonly id: string;
  readonly token: string;
  readonly scopes: readonly string[] | null;
};

/** Reads installations, in no order: at most `limit`. Throws if the keys do not open them. */
export async function storedInstallations(
  { db, sealing }: { readonly db: Db; readonly sealing: Sealing },
  limit: number,
): Promise<StoredInstallation[]> {
  const installations = makeSealedRecords<Installation>(db, { namespace: 'installations', sealing });
  const ids = await column(db)<string>`
    select split_part(key, ':', 2) from plancast.keyv where key like ${`${sealedKeyPrefix}installations:%`}
    order by random() limit ${limit}`;
  return Promise.all(
    ids.map(async (id) => {
      const bot = (await installations.get(id))?.bot;
      return { id, token: bot?.token ?? '', scopes: bot?.scopes ?? null };
    }),
  );
}

/** Lists what is off in an installation, and which scopes it takes. */
export function describeFeatures(features: readonly OptionalFeature[]): string {
  return features
    .map((feature) => optionalFeatures[feature])
    .map(({ does, scopes }) => `${does} (${scopes.join(', ')})`)
    .join(', ');
}
