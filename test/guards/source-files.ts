import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The root of the repository. */
export const root = join(import.meta.dirname, '..', '..');

export type SourceFile = {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
};

/** Returns the text of a file of the repository. `path` is relative to its root. */
export function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Returns every TypeScript file in some folders of the repository. Folders that do not exist count as empty. */
export function sourceFiles(folders: readonly string[]): SourceFile[] {
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .map((path) => ({ path, text: readText(path) }));
}
