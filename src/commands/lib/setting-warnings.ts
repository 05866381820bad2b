import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { variableNames } from '../../env.ts';
import { countSlips } from '../../lib/text.ts';
import type { Environment } from './run-command.ts';

/** Returns what is probably not meant as it is set, one line each: what, a colon, and the remedy. */
export function settingWarnings(source: Environment): string[] {
  const given = (name: string) => source[name]?.trim() || undefined;
  const misspelled = Object.keys(source).flatMap((name) => {
    const meant = variableNames.find((known) => given(known) === undefined && isSlipOf(name, known));
    return meant === undefined ? [] : [`${name} is not a setting: if you meant ${meant}, rename it`];
  });
  const pointless = ['project', 'item', 'session', 'document'].flatMap((kind) => {
    const name = `SERVICE_${kind.toUpperCase()}_URL`;
    if (given(name)?.includes('{') ?? true) return [];
    return [`${name} leads to the same page for everything: put {${kind}} in it, or remove it`];
  });
  const keys = join(given('DATA_DIR') ?? '.data', 'token-keys');
  const proxied = (given('HTTPS_PROXY') ?? given('https_proxy')) && source.NODE_USE_ENV_PROXY !== '1';
  return [
    ...misspelled,
    ...pointless,
    ...(isReadByAll('.env') ? ['.env can be read by every user of this machine: run `chmod 600 .env`'] : []),
    ...(isReadByAll(keys)
      ? ['token-keys in DATA_DIR can be read by every user of this machine: set its mode to 600']
      : []),
    ...(proxied
      ? ['HTTPS_PROXY is not used: set NODE_USE_ENV_PROXY to 1 in the environment, outside .env']
      : []),
  ];
}

/** Whether a name differs from that of a setting by one slip, underscores and plurals apart. Those of four letters resemble too much. */
function isSlipOf(name: string, known: string): boolean {
  if (known.length <= 4 || (variableNames as readonly string[]).includes(name)) return false;
  return countSlips(bare(name), bare(known)) <= 1;
}

function bare(name: string): string {
  return name.replaceAll('_', '').replace(/(?:IES|Y|S)$/, '');
}

function isReadByAll(file: string): boolean {
  // Windows has other rights, and shows all files as readable.
  if (process.platform === 'win32') return false;
  return existsSync(file) && (statSync(file).mode & 0o004) !== 0;
}
