/**
 * The tables whose statements Kysely builds: names in camel case, which `connect` turns into the snake case of the database, with the schema
 * spelled out so that no search path is needed. All other statements are SQL.
 */
export type Database = {
  'plancast.secrets': { name: string; sealed: string };
};
