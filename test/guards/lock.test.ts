import { expect, test } from 'vitest';
import { readText } from './source-files.ts';

type Dependencies = Readonly<Record<string, string>>;
type LockedPackage = {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly optionalDependencies?: Dependencies;
  readonly dependencies?: Dependencies;
  readonly devDependencies?: Dependencies;
};

const manifest = JSON.parse(readText('package.json')) as {
  dependencies: Dependencies;
  devDependencies: Dependencies;
};
const lock = JSON.parse(readText('package-lock.json')) as {
  packages: { '': LockedPackage } & Record<string, LockedPackage>;
};
const { '': own, ...others } = lock.packages;
const locked = Object.entries(others);

test('package.json names every dependency with one exact version', () => {
  const wanted = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });

  expect(wanted.length).toBeGreaterThan(0);
  expect(wanted.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
});

test('the lock file is in sync with package.json', () => {
  expect(own.dependencies).toEqual(manifest.dependencies);
  expect(own.devDependencies).toEqual(manifest.devDependencies);
});

test('the lock file names no host, so that any registry can be asked', () => {
  expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

test('every locked package comes from a registry, with one version and its checksum', () => {
  const odd = locked.filter(
    ([, { version, integrity, link, optional, os }]) =>
      link === true ||
      !/^\d+\.\d+\.\d+/.test(version ?? '') ||
      // A registry that lacks the build for another system cannot name its checksum.
      !(/^sha512-/.test(integrity ?? '') || (optional && os && integrity === undefined)),
  );

  expect(odd).toEqual([]);
});

test('the lock file names the builds for every system, without which `npm ci` refuses it', () => {
  const names = new Set(Object.keys(others).map((path) => path.split('node_modules/').at(-1)));
  const wanted = locked.flatMap(([, { optionalDependencies }]) => Object.keys(optionalDependencies ?? {}));

  expect(wanted.length).toBeGreaterThan(0);
  expect(wanted.filter((name) => !names.has(name))).toEqual([]);
});
