import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { html } from '../../sandbox/demo/page/html.ts';
import { renderShell } from '../../sandbox/demo/page/shell.ts';
import { pageFiles } from '../../sandbox/demo/page-routes.ts';
import { chromiumFlags, findChromium } from '../sandbox/demo/find-chromium.ts';
import type { schemes } from './manifest.ts';
import type { Pictured } from './pictured.ts';

export type Scheme = (typeof schemes)[number];

/** Sharp on displays with two pixels per point, and still only a few kilobytes. */
export const look = { scale: 1.5, quality: 75 };
/** Maximum height of a picture, in CSS pixels; further down, long lists only repeat themselves. */
const mostHeight = 1_200;
const origin = 'http://gallery.localhost';

/** Whether the page draws a green circle in green. Without a font that has it, a box would stand in its place. */
const drawsEmoji = `(() => {
  const canvas = document.createElement('canvas').getContext('2d');
  canvas.fillText('🟢', 0, 10);
  return canvas.getImageData(0, 0, 16, 16).data.some((value, index) => index % 4 === 1 && value > 64);
})()`;

export type Shot = { readonly bytes: Buffer; readonly width: number; readonly height: number };
export type Camera = (one: Pick<Pictured, 'kind' | 'html'>) => Promise<Shot>;

/** Starts the browser that the cameras share. Throws if there is none. */
export async function openBrowser(): Promise<Browser> {
  const found = findChromium();
  if ('missing' in found) throw new Error(`pictures need a Chromium: ${found.missing}`);
  return chromium.launch({ executablePath: found.path, args: chromiumFlags });
}

/** Makes a camera that takes pictures in one color scheme, on a screen of this many CSS pixels. */
export async function makeCamera(
  browser: Browser,
  { colorScheme, width }: { readonly colorScheme: Scheme; readonly width: number },
): Promise<Camera> {
  const context = await browser.newContext({
    colorScheme,
    deviceScaleFactor: look.scale,
    viewport: { width, height: 900 },
  });
  await answerFiles(context);
  const stage = await openStage(context, width);
  if (!(await stage.evaluate(drawsEmoji)))
    throw new Error('pictures need a font with emoji, such as Noto Color Emoji');
  const plain = await context.newPage();
  const devtools = new Map([
    [stage, await context.newCDPSession(stage)],
    [plain, await context.newCDPSession(plain)],
  ]);

  async function take(page: Page, selector: string, margin: number): Promise<Shot> {
    const box = await page.locator(selector).first().boundingBox();
    if (box === null) throw new Error(`nothing to take a picture of: ${selector}`);
    const clip = {
      x: Math.max(0, box.x - margin),
      y: Math.max(0, box.y - margin),
      width: Math.min(width, Math.ceil(box.width + 2 * margin)),
      height: Math.min(mostHeight, Math.ceil(box.height + 2 * margin)),
    };
    // Playwright itself does not support WebP.
    const cdp = devtools.get(page);
    if (cdp === undefined) throw new Error('not a page of this camera');
    const { data } = await cdp.send('Page.captureScreenshot', {
      format: 'webp',
      quality: look.quality,
      clip: { ...clip, scale: 1 },
      captureBeyondViewport: true,
    });
    return { bytes: Buffer.from(data, 'base64'), width: clip.width, height: clip.height };
  }

  return async ({ kind, html: markup }) => {
    if (kind === 'page') {
      await plain.setContent(markup);
      return take(plain, 'main', 24);
    }
    await stage.evaluate(`document.getElementById('shot').innerHTML = ${JSON.stringify(markup)}`);
    return take(stage, '#shot > *', 0);
  };
}

/** Serves the files that draw Slack's pieces, as the demo serves them to its pages. */
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

/** Opens a page into which one piece after the other is put. */
async function openStage(context: BrowserContext, width: number): Promise<Page> {
  const page = await context.newPage();
  await page.goto(origin);
  await page.addStyleTag({
    content: `html, body { height: auto } body { display: block; background: var(--page) } #shot { width: ${width}px } #shot > * { margin: 0 }`,
  });
  return page;
}
