import type { Db } from '../../src/store/sql.ts';

/** The functions of a table's module, without the database that they take first. */
type OnDb<Module> = {
  readonly [Name in keyof Module as Module[Name] extends (db: Db, ...rest: never[]) => unknown
    ? Name
    : never]: Module[Name] extends (db: Db, ...rest: infer Rest) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

/** Binds the functions of a table's module to the pool or to a transaction. */
export function onDb<Module extends object>(db: Db, module: Module): OnDb<Module> {
  const bound = Object.entries(module).flatMap(([name, run]) =>
    typeof run === 'function' ? [[name, (...rest: unknown[]) => run(db, ...rest)]] : [],
  );
  return Object.fromEntries(bound) as OnDb<Module>;
}
