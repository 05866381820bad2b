import { cpus, totalmem } from 'node:os';

/** The machine that figures were measured on. */
export type Machine = { readonly cores: number; readonly cpu: string; readonly memoryGb: number };

/** Returns this machine. */
export function thisMachine(): Machine {
  const all = cpus();
  return {
    cores: all.length,
    cpu: all[0]?.model.trim() ?? 'unknown',
    memoryGb: Math.round(totalmem() / 1024 ** 3),
  };
}
