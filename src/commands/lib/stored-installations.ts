import type { Installation } from '@slack/oauth';
import type pg from 'pg';
import { type OptionalFeature, optionalFeatures } from '../../core/model/slack-access.ts';
import type { Sealing } from '../../store/sealing/sealing.ts';
import { makeKeyv, makeSealedRecords, sealedKeyPrefix } from '../../store/tables/keyv-records.ts';

/** An installation in a workspace or organization: an empty token if it has none, null if its scopes were not stored. */
type StoredInstallation = {
  readonly id: string;
  readonly token: string;
  readonly scopes: readonly string[] | null;
};

/** Reads installations, in no order: at most `limit`. Throws if the keys do not open them. */
export async function storedInstallations(
  { pool, sealing }: { readonly pool: pg.Pool; readonly sealing: Sealing },
  limit: number,
): Promise<StoredInstallation[]> {
  const installations = makeSealedRecords<Installation>({
    keyv: makeKeyv({ pool }),
    namespace: 'installations',
    sealing,
  });
  const { rows } = await pool.query<{ id: string }>(
    `select split_part(key, ':', 2) as id from plancast.keyv where key like $1 order by random() limit $2`,
    [`${sealedKeyPrefix}installations:%`, limit],
  );
  return Promise.all(
    rows.map(async ({ id }) => {
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
