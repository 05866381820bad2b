import { type BlockProblem, validateBlocks } from './block-kit.ts';
import { type Fields, fieldsListOf, fieldsOf, isFields, stringOf } from './json.ts';
import { limits } from './limits.ts';

/** The content of a message as sent by the bot. An undefined field was not given at all. */
export interface Content {
  text: string | undefined;
  blocks: Fields[] | undefined;
  attachments: Fields[] | undefined;
  metadata: Fields | undefined;
}

export interface ContentRefusal {
  error: string;
  problems: BlockProblem[];
}

function attachmentProblems(attachments: Fields[]): BlockProblem[] {
  return attachments.flatMap(({ blocks }, index) =>
    blocks === undefined
      ? []
      : validateBlocks(blocks, 'message').map((problem) => ({
          ...problem,
          pointer: `/attachments/${index}${problem.pointer}`,
        })),
  );
}

function refuseShape({ blocks, attachments, metadata }: Fields): ContentRefusal | undefined {
  if (blocks !== undefined && !Array.isArray(blocks)) return { error: 'invalid_blocks_format', problems: [] };
  if (attachments !== undefined && !Array.isArray(attachments)) {
    return { error: 'invalid_arguments', problems: [] };
  }
  const { event_type: type, event_payload: payload } = fieldsOf(metadata);
  const emptied = isFields(metadata) && Object.keys(metadata).length === 0;
  if (metadata !== undefined && !emptied && !(stringOf(type) !== undefined && isFields(payload))) {
    return { error: 'invalid_metadata_format', problems: [] };
  }
  return undefined;
}

/** Refuses `markdown_text` beside text or blocks: it replaces both, and Slack turns it into a markdown block. */
function refuseMarkdown({ markdown_text: markdown, text, blocks }: Fields): ContentRefusal | undefined {
  if (typeof markdown !== 'string') return undefined;
  if (stringOf(text) !== undefined || blocks !== undefined)
    return { error: 'markdown_text_conflict', problems: [] };
  return markdown.length > limits.markdownText ? { error: 'msg_too_long', problems: [] } : undefined;
}

/**
 * Reads the content of a message from the arguments of a call and validates it as Slack does.
 * @param args parsed arguments: `text`, `blocks`, `attachments`, `markdown_text`, `metadata`
 */
export function readContent(args: Fields): Content | ContentRefusal {
  const refusal = refuseShape(args) ?? refuseMarkdown(args);
  if (refusal !== undefined) return refusal;
  const markdown = stringOf(args.markdown_text);
  const content: Content = {
    text: typeof args.text === 'string' ? args.text : undefined,
    blocks: args.blocks === undefined ? undefined : fieldsListOf(args.blocks),
    attachments: args.attachments === undefined ? undefined : fieldsListOf(args.attachments),
    metadata: args.metadata === undefined ? undefined : fieldsOf(args.metadata),
  };
  if (markdown !== undefined) content.blocks = [{ type: 'markdown', text: markdown }];
  if ((content.attachments?.length ?? 0) > limits.attachments)
    return { error: 'too_many_attachments', problems: [] };
  const problems = [
    ...(args.blocks === undefined ? [] : validateBlocks(args.blocks, 'message')),
    ...attachmentProblems(content.attachments ?? []),
  ];
  const [first] = problems;
  return first === undefined ? content : { error: first.error, problems };
}

/** Returns whether there is anything to show: a message needs text, blocks or attachments. */
export function saysSomething({ text, blocks, attachments }: Content): boolean {
  return stringOf(text) !== undefined || (blocks?.length ?? 0) > 0 || (attachments?.length ?? 0) > 0;
}

/** Returns Slack's `response_metadata.messages` for these problems. */
export function problemLines(problems: BlockProblem[]): string[] {
  return problems.map(({ pointer, sentence }) => `[ERROR] ${sentence} [json-pointer:${pointer}]`);
}
