import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { html } from '../../sandbox/demo/page/html.ts';
import { renderShell } from '../../sandbox/demo/page/shell.ts';
import { pageFiles } from '../../sandbox/demo/page-routes.ts';
import { chromiumFlags, findChromium } from '../sandbox/demo/find-chromium.ts';
import { formattedJson } from '../sandbox/demo/formatted-json.ts';
import { galleryFolder, manifestName, type Picture, readManifest, schemes } from './manifest.ts';
import { everythingPictured, type Pictured } from './pictured.ts';
import { writeSite } from './write-site.ts';

/**
 * Writes `docs/gallery/`: a picture in light and dark of everything that the bot can show, the text of each, and pages to
 * browse them. Only what is drawn differently than last time is taken again, since no two machines draw letters alike.
 * With `--into`, `--group` and `--width` some of it goes elsewhere, to be looked at.
 */
const { values: options } = parseArgs({
  options: {
    into: { type: 'string', default: galleryFolder },
    group: { type: 'string' },
    width: { type: 'string', default: '720' },
  },
});
const folder = options.into;
const width = Number(options.width);
/** Sharp on screens of two pixels a point, and still a few kilobytes. */
const look = { scale: 1.5, quality: 75 };
/** Of a picture, in CSS pixels: what comes below in a long list is like what is above. */
const mostHeight = 1_200;
const origin = 'http://gallery.localhost';
type Scheme = (typeof schemes)[number];

/** What draws pieces of Slack, as pages of the demo get it. */
async function answerFiles(context: BrowserContext): Promise<void> {
  const stage = renderShell({ title: 'Pictures', script: 'theme.js', body: html`<div id="shot"></div>` });
  await context.route(`${origin}/**`, async (route) => {
    const name = new URL(route.request().url()).pathname.slice(1);
    const file = pageFiles[name];
    if (name === '') await route.fulfill({ contentType: 'text/html', body: stage.text });
    else if (file === undefined) await route.fulfill({ status: 404 });
    else await route.fulfill({ contentType: `text/${file.type.replace('.', '')}`, path: file.path });
  });
}

/** A page in which pieces are put one after the other. */
async function openStage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.goto(origin);
  await page.addStyleTag({
    content: `html, body { height: auto } body { display: block; background: var(--page) } #shot { width: ${width}px } #shot > * { margin: 0 }`,
  });
  return page;
}

type Shot = { readonly bytes: Buffer; readonly width: number; readonly height: number };

/** Makes what takes pictures in one scheme. */
async function makeCamera(browser: Browser, colorScheme: Scheme) {
  const context = await browser.newContext({
    colorScheme,
    deviceScaleFactor: look.scale,
    viewport: { width, height: 900 },
  });
  await answerFiles(context);
  const stage = await openStage(context);
  const plain = await context.newPage();
  const devtools = new Map([
    [stage, await context.newCDPSession(stage)],
    [plain, await context.newCDPSession(plain)],
  ]);

  async function take(page: Page, selector: string, margin: number): Promise<Shot> {
    const box = await page.locator(selector).first().boundingBox();
    if (box === null) throw new Error(`Nothing to take a picture of: ${selector}.`);
    const clip = {
      x: Math.max(0, box.x - margin),
      y: Math.max(0, box.y - margin),
      width: Math.min(width, Math.ceil(box.width + 2 * margin)),
      height: Math.min(mostHeight, Math.ceil(box.height + 2 * margin)),
    };
    // Playwright itself knows no WebP.
    const cdp = devtools.get(page);
    if (cdp === undefined) throw new Error('Not a page of this camera.');
    const { data } = await cdp.send('Page.captureScreenshot', {
      format: 'webp',
      quality: look.quality,
      clip: { ...clip, scale: 1 },
      captureBeyondViewport: true,
    });
    return { bytes: Buffer.from(data, 'base64'), width: clip.width, height: clip.height };
  }

  return async ({ kind, html: markup }: Pictured): Promise<Shot> => {
    if (kind === 'page') {
      await plain.setContent(markup);
      return take(plain, 'main', 24);
    }
    await stage.evaluate(`document.getElementById('shot').innerHTML = ${JSON.stringify(markup)}`);
    return take(stage, '#shot > *', 0);
  };
}

/** What all pieces are drawn with. */
async function hashOfStyles(): Promise<string> {
  const styles = Object.entries(pageFiles).filter(([name]) => name.endsWith('.css'));
  const texts = await Promise.all(styles.map(({ 1: { path } }) => readFile(path, 'utf8')));
  return hashOf(texts.join('\n'), JSON.stringify([look, width]));
}

function hashOf(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16);
}

const fileOf = (scheme: Scheme, name: string): string => join(folder, scheme, `${name}.webp`);

/** The pictures of what is wanted: those of the last run that are still right, and for the others `undefined`. */
async function stillRight(wanted: readonly Pictured[]): Promise<readonly Found[]> {
  const before = new Map((await readManifest(folder)).map((picture) => [picture.name, picture]));
  const styles = await hashOfStyles();
  return wanted.map((one) => {
    const { group, title, name, text } = one;
    const drawn = hashOf(one.kind === 'page' ? JSON.stringify([look, width]) : styles, one.html);
    const known = before.get(name);
    const isThere = schemes.every((scheme) => existsSync(fileOf(scheme, name)));
    const isRight = known?.drawn === drawn && isThere;
    return { one, drawn, picture: isRight ? { ...known, group, title, text } : undefined };
  });
}

type Found = {
  readonly one: Pictured;
  readonly drawn: string;
  readonly picture: Picture | undefined;
};

async function takeMissing(all: readonly Found[]): Promise<Picture[]> {
  const chromiumFound = findChromium();
  if ('missing' in chromiumFound) throw new Error(`Pictures need a Chromium: ${chromiumFound.missing}.`);
  const browser = await chromium.launch({ executablePath: chromiumFound.path, args: chromiumFlags });
  try {
    const cameras = { light: await makeCamera(browser, 'light'), dark: await makeCamera(browser, 'dark') };
    const pictures: Picture[] = [];
    for (const { one, drawn, picture } of all) {
      pictures.push(picture ?? (await takeBoth(one, drawn, cameras)));
    }
    return pictures;
  } finally {
    await browser.close();
  }
}

type Cameras = Readonly<Record<Scheme, Awaited<ReturnType<typeof makeCamera>>>>;

async function takeBoth(one: Pictured, drawn: string, cameras: Cameras): Promise<Picture> {
  const { group, title, name, text } = one;
  const [size = { width: 0, height: 0 }] = await Promise.all(
    schemes.map(async (scheme) => {
      const { bytes, ...rest } = await cameras[scheme](one);
      await writeFile(fileOf(scheme, name), bytes);
      return rest;
    }),
  );
  return { group, title, name, text, ...size, drawn };
}

/** Removes pictures of what is not shown any more. */
async function removeOthers(pictures: readonly Picture[]): Promise<void> {
  const names = new Set(pictures.map(({ name }) => `${name}.webp`));
  for (const scheme of schemes) {
    const there = await readdir(join(folder, scheme));
    await Promise.all(there.filter((file) => !names.has(file)).map((file) => rm(join(folder, scheme, file))));
  }
}

await Promise.all(schemes.map((scheme) => mkdir(join(folder, scheme), { recursive: true })));
const wanted = everythingPictured().filter(
  ({ group }) => options.group === undefined || options.group === group,
);
const found = await stillRight(wanted);
const known = found.flatMap(({ picture }) => picture ?? []);
const taken = found.length - known.length;
const pictures = taken === 0 ? known : await takeMissing(found);
await removeOthers(pictures);
await writeFile(join(folder, manifestName), formattedJson(pictures));
await writeSite(folder, pictures);
process.stdout.write(`${pictures.length} pictures in light and dark, ${taken} of them new, in ${folder}\n`);
