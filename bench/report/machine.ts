import { cpus, totalmem } from 'node:os';

/** What figures were measured on. */
export type Machine = { readonly cores: number; readonly cpu: string; readonly memoryGb: number };

/** This machine. */
export function thisMachine(): Machine {
  const all = cpus();
  return {
    cores: all.length,
    cpu: all[0]?.model.trim() ?? 'unknown',
    memoryGb: Math.round(totalmem() / 1024 ** 3),
  };
}
