import { expect, test } from 'vitest';
import { readText } from './source-files.ts';

type Dependencies = Readonly<Record<string, string>>;
type LockedPackage = {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly optionalDependencies?: Dependencies;
  readonly dependencies?: Dependencies;
  readonly devDependencies?: Dependencies;
};

const manifest = JSON.parse(readText('package.json')) as {
  dependencies: Dependencies;
  devDependencies: Dependencies;
  optionalDependencies: Dependencies;
  packageManager: string;
  allowScripts: Readonly<Record<string, boolean>>;
};
const lock = JSON.parse(readText('package-lock.json')) as {
  packages: { '': LockedPackage } & Record<string, LockedPackage>;
};
const { '': own, ...others } = lock.packages;
const locked = Object.entries(others);

test('package.json names every dependency with one exact version', () => {
  const { dependencies, devDependencies, optionalDependencies } = manifest;
  const wanted = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });

  expect(wanted.length).toBeGreaterThan(0);
  expect(wanted.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
});

test('the lock file is in sync with package.json', () => {
  expect(own.dependencies).toEqual(manifest.dependencies);
  expect(own.devDependencies).toEqual(manifest.devDependencies);
  expect(own.optionalDependencies).toEqual(manifest.optionalDependencies);
});

test('the lock file names no host, so any registry can be used', () => {
  expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

test('every locked package comes from a registry, with one version and its checksum', () => {
  const odd = locked.filter(
    ([, { version, integrity, link }]) =>
      link === true || !/^\d+\.\d+\.\d+/.test(version ?? '') || !/^sha512-/.test(integrity ?? ''),
  );

  expect(odd).toEqual([]);
});

test('the lock file names the builds for every system, without which `npm ci` rejects it', () => {
  const names = new Set(Object.keys(others).map((path) => path.split('node_modules/').at(-1)));
  const wanted = locked.flatMap(([, { optionalDependencies }]) => Object.keys(optionalDependencies ?? {}));

  expect(wanted.length).toBeGreaterThan(0);
  expect(wanted.filter((name) => !names.has(name))).toEqual([]);
});

test('every package with an install script is allowed to run it, on each system, and no other is listed', () => {
  const withScripts = locked
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([path]) => path.replace('node_modules/', ''));

  expect(new Set(Object.keys(manifest.allowScripts))).toEqual(new Set(withScripts));
});

test('.node-version, the dependency node and the image are the same major version of Node', () => {
  const version = readText('.node-version').trim();

  expect(version).toBe(manifest.devDependencies.node);
  expect(readText('Dockerfile')).toMatch(new RegExp(`^FROM node:${version.split('.')[0]}-`, 'm'));
});
