import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Pictured } from './pictured.ts';

/** Where `npm run gallery` writes everything. */
export const galleryFolder = fileURLToPath(new URL('../../gallery', import.meta.url));
/** The pictures in git. */
export const keptFolder = fileURLToPath(new URL('../../docs/pictures', import.meta.url));
export const manifestName = 'pictures.json';
export const schemes = ['light', 'dark'] as const;

/** A picture that was taken; its file is `NAME.webp` in the folder of each scheme. */
export type Picture = Pick<Pictured, 'group' | 'title' | 'name' | 'text'> & {
  /** In CSS pixels. */
  readonly width: number;
  readonly height: number;
  /** Hash of everything it was drawn from; an equal hash means no new picture is needed. */
  readonly drawn: string;
};

/** Returns the pictures of a folder; empty if the folder does not exist yet. */
export async function readManifest(folder: string): Promise<Picture[]> {
  const text = await readFile(join(folder, manifestName), 'utf8').catch(() => '[]');
  return JSON.parse(text);
}
