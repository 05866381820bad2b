import { type AnyRequest, mostLinks } from '../../core/model/any-request.ts';
import { type LinkedTarget, linkedTarget } from '../../core/model/linked-target.ts';
import type { UrlTemplates } from '../../core/model/url-templates.ts';
import { parseCommand } from '../grammar/parse-command.ts';

/** What each shortcut in the composer and in search asks for, by `callback_id`. */
export const shortcuts: Readonly<Record<string, AnyRequest>> = {
  subscribe: { act: 'open-form-anywhere' },
};

/** What each shortcut in a message's menu asks for, given the message as Slack sends it. */
export const messageShortcuts: Readonly<
  Record<string, (message: object, templates: UrlTemplates) => AnyRequest>
> = {
  why: () => ({ act: 'why-message' }),
  follow: (message, templates) => ({ act: 'follow-links', targets: targetsIn(message, templates) }),
};

const address = /https?:\/\/[^\s<>|"]+/g;

/**
 * Returns what the links in a message lead to, wherever they are in it: in its text, its blocks, its attachments. If none fits an address that
 * the admin set, every link counts that a command would understand.
 */
function targetsIn(message: object, templates: UrlTemplates): LinkedTarget[] {
  const urls = [...new Set(textsIn(message).flatMap((text) => text.match(address) ?? []))];
  const fitting = urls.flatMap((url) => linkedTarget(url.replaceAll('&amp;', '&'), templates) ?? []);
  const found = fitting.length > 0 ? fitting : urls.flatMap(understood);
  return [...new Map(found.map((target) => [JSON.stringify(target), target])).values()].slice(0, mostLinks);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function understood(url: string): LinkedTarget[] {
  const parsed = parseCommand('subscribe', `<${url}>`);
  return parsed.ok && parsed.request.act === 'subscribe' ? [parsed.request.target] : [];
}
