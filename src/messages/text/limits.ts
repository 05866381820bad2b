/** Slack's limits, in characters unless stated otherwise, with their sources. `types`: the doc comments of @slack/types 3.2.0. */
export const limits = {
  /** Slack, chat.postMessage. */
  messageBlocks: 50,
  /** types, View. */
  viewBlocks: 100,
  /** Slack, chat.update: more than this is refused with msg_too_long (chat.postMessage cuts only above 40,000). */
  text: 4_000,
  /** Not published. slackapi/bolt-js#2509 saw some 13,200 characters of markdown blocks refused: msg_blocks_too_long. */
  messageCharacters: 12_000,
  /** types, SectionBlock. */
  sectionText: 3_000,
  /** Not published; the limit of a section's fields. */
  contextText: 2_000,
  /** types, ActionsBlock. */
  actionsElements: 25,
  /** types, Button. */
  buttonText: 75,
  buttonValue: 2_000,
  buttonUrl: 3_000,
  accessibilityLabel: 75,
  /** types, ConfirmationDialog. */
  confirmTitle: 100,
  confirmText: 300,
  confirmButton: 30,
  /** types, HeaderBlock. */
  headerText: 150,
  /** types, ModalView. */
  modalTitle: 24,
  modalButton: 24,
  privateMetadata: 3_000,
  /** types, InputBlock. */
  inputLabel: 2_000,
  inputHint: 2_000,
  placeholder: 150,
  /** types, PlainTextInput: the longest value, also of the initial one. */
  inputText: 3_000,
  /** types, Option. */
  optionText: 75,
  optionValue: 75,
  /** types, StaticSelect. */
  options: 100,
  /** Not published; Slack shows a field's error in one or two lines. */
  fieldError: 300,
  /** Ours: how long a name, a path and a sentence can be before they are cut. */
  name: 120,
  path: 300,
  linkUrl: 1_000,
  sentence: 600,
  /** Ours: the same after escaping (`&` becomes `&amp;`), so that every sentence fits into its section. */
  nameEscaped: 300,
  pathEscaped: 600,
  sentenceEscaped: 1_000,
} as const;

/** The characters left for the blocks of a message whose `text` has its maximum length. */
export const blocksBudget = limits.messageCharacters - limits.text;

/** Returns how many of these sizes fit into `max`, from the front; with room for a `note` about the rest, unless everything fits. */
export function howManyFit(sizes: readonly number[], max: number, note = 0): number {
  let used = 0;
  let withNote = 0;
  for (const [index, size] of sizes.entries()) {
    used += size;
    if (used > max) return withNote;
    if (used + note <= max) withNote = index + 1;
  }
  return sizes.length;
}

/** Joins as many parts as fit into `max` characters, none ever cut, and says how many more of a `noun` there are. */
export function fitInto(
  parts: readonly string[],
  options: { readonly max: number; readonly joint: string; readonly noun?: string | undefined },
): string {
  const { max, joint, noun } = options;
  const more = (count: number) => `… and ${count} more${noun === undefined ? '' : ` ${noun}`}`;
  const sizes = parts.map((part, index) => part.length + (index === 0 ? 0 : joint.length));
  const taken = howManyFit(sizes, max, joint.length + more(parts.length).length);
  const shown = parts.slice(0, taken);
  return (taken < parts.length ? [...shown, more(parts.length - taken)] : shown).join(joint);
}

/** Counts the characters shown in blocks, including the confirmation dialogs of buttons. */
export function charactersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce<number>(
    (sum, [key, inner]) =>
      sum + (key === 'text' && typeof inner === 'string' ? inner.length : charactersOf(inner)),
    0,
  );
}
