import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';
import type { Sealing } from '../sealing/sealing.ts';

/** Secrets of the bot itself, one for the whole installation. */
export type Secrets = {
  /** Returns the secret of that name; if there is none, stores what `make` returns. All processes get the same one. */
  readonly readOrCreate: (name: string, make: () => string) => Promise<string>;
};

/** The table `secrets`. Reading throws `UnsealError` if the key that sealed it is missing. */
export function makeSecrets(deps: { readonly db: Kysely<Database>; readonly sealing: Sealing }): Secrets {
  const { db, sealing } = deps;
  const placeOf = (name: string) => ({ table: 'secrets', row: name, column: 'sealed' });
  const find = (name: string) =>
    db.selectFrom('plancast.secrets').select('sealed').where('name', '=', name).executeTakeFirst();

  return {
    readOrCreate: async (name, make) => {
      if ((await find(name)) === undefined) {
        const sealed = await sealing.seal(placeOf(name), make());
        await db
          .insertInto('plancast.secrets')
          .values({ name, sealed })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }
      const row = await find(name);
      if (row === undefined) throw new Error(`the secret ${name} was removed while it was read`);
      return sealing.open(placeOf(name), row.sealed);
    },
  };
}
