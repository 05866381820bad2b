import type { AnyRequest } from '../../core/model/any-request.ts';

/** What each shortcut in the composer and in search asks for, by `callback_id`. */
export const shortcuts: Readonly<Record<string, AnyRequest>> = {
  subscribe: { act: 'open-form-anywhere' },
};

/** What each shortcut in a message's menu asks for. */
export const messageShortcuts: Readonly<Record<string, AnyRequest>> = { why: { act: 'why-message' } };
