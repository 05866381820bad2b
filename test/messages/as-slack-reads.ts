/** Text as Slack shows it to a reader: entities decoded, what is invisible taken away. */
export function asSlackShows(text: string): string {
  return text
    .replaceAll('\u200B', '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** Everything in angle brackets, which is what Slack makes links, mentions and dates of. */
export function markupIn(text: string): string[] {
  return text.match(/<[^>]*>?|>/g) ?? [];
}

/** Control characters, invisible ones, and those that turn the reading direction; the zero-width space is ours. */
export function unseenIn(text: string): string[] {
  return (
    text.match(/(?![\n\u200B])[\p{Cc}\p{Cf}\p{Cs}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/gu) ?? []
  );
}

/** Ampersands that are not the beginning of one of the three entities Slack knows. */
export function bareAmpersandsIn(text: string): string[] {
  return text.match(/&(?!amp;|lt;|gt;)/g) ?? [];
}
