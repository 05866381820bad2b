import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pageFiles } from '../../sandbox/demo/page-routes.ts';
import { formattedJson } from '../sandbox/demo/formatted-json.ts';
import { type Camera, look, makeCamera, openBrowser, type Scheme } from './camera.ts';
import { galleryFolder, keptFolder, manifestName, type Picture, readManifest, schemes } from './manifest.ts';
import { everythingPictured, type Pictured, tour } from './pictured.ts';
import { writeSite } from './write-site.ts';

/**
 * Writes `gallery/`, which git ignores: a picture in light and dark of everything that the bot can show, the text of each, and pages to
 * browse them. Also updates the pictures of the README, which git keeps. Only pictures whose source changed are taken again, because fonts
 * render differently on every machine. `--into`, `--group` and `--width` write some of the pictures elsewhere for a quick look.
 */
const { values: options } = parseArgs({
  options: {
    into: { type: 'string', default: galleryFolder },
    group: { type: 'string' },
    width: { type: 'string', default: '720' },
  },
});

/** A folder of pictures, all of the same width. */
type Album = { readonly folder: string; readonly width: number; readonly wanted: readonly Pictured[] };

/** Hashes everything that all pieces are drawn with. */
async function hashOfStyles(width: number): Promise<string> {
  const styles = Object.entries(pageFiles).filter(([name]) => name.endsWith('.css'));
  const texts = await Promise.all(styles.map(({ 1: { path } }) => readFile(path, 'utf8')));
  return hashOf(texts.join('\n'), JSON.stringify([look, width]));
}

function hashOf(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16);
}

const fileOf = (folder: string, scheme: Scheme, name: string): string => join(folder, scheme, `${name}.webp`);

/** Returns the wanted pictures: those of the last run that are still valid, and `undefined` for the others. */
async function stillRight({ folder, width, wanted }: Album): Promise<readonly Found[]> {
  const before = new Map((await readManifest(folder)).map((picture) => [picture.name, picture]));
  const styles = await hashOfStyles(width);
  return wanted.map((one) => {
    const { group, title, name, text } = one;
    const drawn = hashOf(one.kind === 'page' ? JSON.stringify([look, width]) : styles, one.html);
    const known = before.get(name);
    const isThere = schemes.every((scheme) => existsSync(fileOf(folder, scheme, name)));
    const isRight = known?.drawn === drawn && isThere;
    return { one, drawn, picture: isRight ? { ...known, group, title, text } : undefined };
  });
}

type Found = {
  readonly one: Pictured;
  readonly drawn: string;
  readonly picture: Picture | undefined;
};

async function takeMissing({ folder, width }: Album, all: readonly Found[]): Promise<Picture[]> {
  const browser = await openBrowser();
  try {
    const cameras = {
      light: await makeCamera(browser, { colorScheme: 'light', width }),
      dark: await makeCamera(browser, { colorScheme: 'dark', width }),
    };
    const pictures: Picture[] = [];
    for (const found of all) {
      pictures.push(found.picture ?? (await takeBoth(folder, found, cameras)));
    }
    return pictures;
  } finally {
    await browser.close();
  }
}

async function takeBoth(
  folder: string,
  { one, drawn }: Found,
  cameras: Readonly<Record<Scheme, Camera>>,
): Promise<Picture> {
  const { group, title, name, text } = one;
  const [size = { width: 0, height: 0 }] = await Promise.all(
    schemes.map(async (scheme) => {
      const { bytes, ...rest } = await cameras[scheme](one);
      await writeFile(fileOf(folder, scheme, name), bytes);
      return rest;
    }),
  );
  return { group, title, name, text, ...size, drawn };
}

/** Removes pictures of subjects that no longer exist. */
async function removeOthers(folder: string, pictures: readonly Picture[]): Promise<void> {
  const names = new Set(pictures.map(({ name }) => `${name}.webp`));
  for (const scheme of schemes) {
    const there = await readdir(join(folder, scheme));
    await Promise.all(there.filter((file) => !names.has(file)).map((file) => rm(join(folder, scheme, file))));
  }
}

/** Brings a folder of pictures up to date. */
async function renew(album: Album): Promise<readonly Picture[]> {
  const { folder } = album;
  await Promise.all(schemes.map((scheme) => mkdir(join(folder, scheme), { recursive: true })));
  const found = await stillRight(album);
  const known = found.flatMap(({ picture }) => picture ?? []);
  const taken = found.length - known.length;
  const pictures = taken === 0 ? known : await takeMissing(album, found);
  await removeOthers(folder, pictures);
  await writeFile(join(folder, manifestName), formattedJson(pictures));
  process.stdout.write(`${pictures.length} pictures in light and dark, ${taken} of them new, in ${folder}\n`);
  return pictures;
}

const everything = everythingPictured();
const inGroup = (wanted: string): Pictured[] => everything.filter(({ group }) => group === wanted);
const width = Number(options.width);
const wanted = options.group === undefined ? everything : inGroup(options.group);
await writeSite(options.into, await renew({ folder: options.into, width, wanted }));
if (options.into === galleryFolder) await renew({ folder: keptFolder, width, wanted: inGroup(tour) });
