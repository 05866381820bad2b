import { readFile } from 'node:fs/promises';

/** Linux counts processor time in hundredths of a second (`getconf CLK_TCK`) on every platform that Node runs on. */
const ticksPerSecond = 100;

/** Returns the processor seconds a process has used so far; NaN if the system does not say. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // proc(5): the name in parentheses can contain spaces; after it, utime and stime are the 12th and 13th field.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Returns the resident memory of a process, now and at its peak, in MB (10^6 bytes); NaN if the system does not say. */
export async function memoryOf(pid: number): Promise<{ now: number; peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const read = (name: string) => {
    const kib = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1];
    return kib === undefined ? Number.NaN : (Number(kib) * 1_024) / 1e6;
  };
  return { now: read('VmRSS'), peak: read('VmHWM') };
}
