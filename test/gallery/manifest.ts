import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Pictured } from './pictured.ts';

/** Where `npm run gallery` writes. */
export const galleryFolder = fileURLToPath(new URL('../../docs/gallery', import.meta.url));
/** Pictures as wide as a phone, of what the pages of pairs show. */
export const phoneFolder = join(galleryFolder, 'phone');
export const phoneWidth = 390;
export const manifestName = 'pictures.json';
export const schemes = ['light', 'dark'] as const;

/** A picture that was taken: in each scheme, `light/NAME.webp`. */
export type Picture = Pick<Pictured, 'group' | 'title' | 'name' | 'text'> & {
  /** In CSS pixels. */
  readonly width: number;
  readonly height: number;
  /** Hash of all that it was drawn from: equal hashes need no new picture. */
  readonly drawn: string;
};

/** The pictures of a folder; none where there is no such folder yet. */
export async function readManifest(folder: string): Promise<Picture[]> {
  const text = await readFile(join(folder, manifestName), 'utf8').catch(() => '[]');
  return JSON.parse(text);
}
