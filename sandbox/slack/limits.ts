/** Slack's limits. The figures come from docs.slack.dev and `@slack/types` 3.2.0; those Slack does not publish are marked. */
export const limits = {
  blocksPerMessage: 50,
  blocksPerView: 100,
  /** Unpublished: bolt-js issue 2509 saw `msg_blocks_too_long` at about 13,200; 12,000 is the limit of markdown blocks. */
  charactersPerMessage: 12_000,
  sectionText: 3000,
  fields: 10,
  fieldText: 2000,
  headerText: 150,
  contextElements: 10,
  contextText: 2000,
  actionElements: 25,
  blockId: 255,
  actionId: 255,
  buttonText: 75,
  buttonValue: 2000,
  url: 3000,
  optionText: 75,
  /** The docs used to say 150; the types and the server say 75. */
  optionValue: 75,
  selectOptions: 100,
  optionGroups: 100,
  overflowOptions: 5,
  checkboxes: 10,
  placeholder: 150,
  /** `chat.postMessage` truncates `text` here without an error. */
  textCutAt: 40_000,
  /** Recommended for `chat.postMessage`, enforced by `chat.update` (`msg_too_long`). */
  text: 4000,
  markdownText: 12_000,
  attachments: 100,
  modalTitle: 24,
  privateMetadata: 3000,
  callbackId: 255,
  viewStack: 3,
  /** From memory of the docs, not verified. */
  viewBytes: 250_000,
  triggerLifeMs: 3000,
  responseUrlUses: 5,
  responseUrlLifeMs: 30 * 60_000,
  oauthCodeLifeMs: 10 * 60_000,
  /** With token rotation (docs: using token rotation). */
  rotatedTokenLifeSeconds: 43_200,
  liveRotatedTokens: 2,
  /** How long Slack waits for the response to a command, an interaction or an event. */
  answerWithinMs: 3000,
} as const;

/** How the API counts calls. `tiers` are calls per minute, per method and workspace (docs: rate limits). */
export const rates = {
  tiers: { 1: 1, 2: 20, 3: 50, 4: 100 },
  tierWindowMs: 60_000,
  postEveryMs: 1000,
  /** "Short bursts" are tolerated; how many messages is unpublished. */
  postBurst: 3,
  /** "Several hundred messages per minute" per workspace; the exact figure is unpublished. */
  workspacePostsPerMinute: 600,
} as const;

export type Tier = keyof typeof rates.tiers;
