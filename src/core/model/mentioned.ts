/** Whom a message mentions: a person or a group, by the id that Slack gave them. */
export type Mentioned = { readonly kind: 'user' | 'group'; readonly id: string };
