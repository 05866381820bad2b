/** Returns text as Slack shows it to a reader: entities decoded, invisible characters removed. */
export function asSlackShows(text: string): string {
  return text
    .replaceAll('\u200B', '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** Returns everything in angle brackets, from which Slack makes links, mentions and dates. */
export function markupIn(text: string): string[] {
  return text.match(/<[^>]*>?|>/g) ?? [];
}

/** Returns control, invisible and bidirectional characters; the zero-width space is our own. */
export function unseenIn(text: string): string[] {
  return (
    text.match(/(?![\n\u200B])[\p{Cc}\p{Cf}\p{Cs}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/gu) ?? []
  );
}

/** Returns ampersands that do not start one of the three entities that Slack knows. */
export function bareAmpersandsIn(text: string): string[] {
  return text.match(/&(?!amp;|lt;|gt;)/g) ?? [];
}
