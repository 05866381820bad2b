import { drawGallery } from '../../sandbox/demo/page/gallery.ts';
import { unescaped } from '../../sandbox/service/html.ts';
import { now } from '../messages/changes.ts';
import { galleryGroups, galleryPeople } from '../messages/gallery-cases.ts';
import { pageGroups } from './page-cases.ts';
import { drawTour } from './tour.ts';

/** One subject of a picture. */
export type Pictured = {
  readonly group: string;
  readonly title: string;
  /** Name of its files and anchors. */
  readonly name: string;
  /** All text that can be read in it, including menus and fields. */
  readonly text: string;
  /** A whole page of the bot, or a piece of Slack as the practice Slack draws it. */
  readonly kind: 'page' | 'piece';
  readonly html: string;
};

/** The group of the README's pictures. */
export const tour = 'Tour';

/** Returns everything that has a picture, as the code renders it now. */
export function everythingPictured(): Pictured[] {
  const gallery = JSON.parse(JSON.stringify({ now, people: galleryPeople, groups: galleryGroups }));
  const drawn = drawGallery(gallery, 'Europe/Stockholm');
  const pieces = [...drawTour().map((one) => ({ group: tour, ...one })), ...drawn].map(
    ({ picture, ...rest }) => ({ ...rest, kind: 'piece' as const, html: picture.text }),
  );
  const pages = pageGroups.flatMap(({ name, cases }) =>
    cases.map(({ title, page }) => ({ group: name, title, kind: 'page' as const, html: page })),
  );
  return [...pieces, ...pages].map((one) => ({
    ...one,
    name: nameOf(one.title),
    text: textOf(one.html),
  }));
}

/** Returns the form of a title or group that is used in URLs: lowercase words joined by hyphens. */
export function nameOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

const field = /<input type="(?:text|search|email|url|number|date|time)"[^>]*>/g;

/** Returns the text of markup, one line for each block element. Field values are in brackets, and chosen options have a check mark. */
export function textOf(html: string): string {
  const marked = html
    .replaceAll(/<(style|svg|title)\b[\s\S]*?<\/\1>/g, '')
    .replaceAll(field, (tag) => `[${attribute(tag, 'value') || attribute(tag, 'placeholder')}]`)
    .replaceAll(/<(?:option|input)\b[^>]* (?:selected|checked)[^>]*>/g, '\n✓ ')
    .replaceAll(
      /<\/?(?:div|p|li|ol|ul|h\d|tr|button|option|label|summary|section|header|footer|br|a class="btn)\b[^>]*>/g,
      '\n',
    )
    .replaceAll(/<\/(?:td|th)>/g, ' | ')
    .replaceAll(/<[^>]*>/g, '');
  return unescaped(marked)
    .split('\n')
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}

function attribute(tag: string, name: string): string {
  return new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
}
