import {
  anyText,
  anything,
  below,
  both,
  type Check,
  flag,
  type Inspection,
  integer,
  list,
  mrkdwn,
  object,
  oneOf,
  plain,
  required,
  type Spot,
  type Surface,
  string,
  typed,
} from './block-checks.ts';
import {
  accessory,
  actionElement,
  button,
  contextAction,
  either,
  imageBlockFields,
  imageElement,
  inputElement,
  url,
} from './block-elements.ts';
import { richText } from './block-rich-text.ts';
import { type Fields, fieldsListOf, fieldsOf, isFields } from './json.ts';
import { limits } from './limits.ts';

export interface BlockProblem {
  /** JSON pointer within the payload, such as `/blocks/0/text` or `/view/title`. */
  pointer: string;
  /** The problem as a sentence. */
  sentence: string;
  /** Slack's error code for it. */
  error: 'invalid_blocks' | 'msg_blocks_too_long' | 'view_too_large' | 'invalid_arguments';
}

interface BlockRule {
  on: Surface[];
  check: Check;
}

const everywhere: Surface[] = ['message', 'modal', 'home'];
const notInModals: Surface[] = ['message', 'home'];

/** Checks a block: its own fields and the common ones. */
function block(fields: Record<string, Check>): Check {
  return object({ type: anything, block_id: string(limits.blockId), ...fields });
}

const textOrFields: Check = (see, spot) => {
  const { text, fields } = fieldsOf(spot.value);
  if (text === undefined && fields === undefined) see.report(spot, 'needs text or fields');
};

const section = both(
  block({
    text: anyText(limits.sectionText),
    fields: list(anyText(limits.fieldText), { max: limits.fields }),
    accessory,
    expand: flag,
  }),
  textOrFields,
);

const contextElement = typed({
  image: imageElement,
  plain_text: anyText(limits.contextText),
  mrkdwn: anyText(limits.contextText),
});

const input: Check = (see, spot) => {
  see.inInput = true;
  block({
    label: required(plain(2000)),
    hint: plain(2000),
    optional: flag,
    dispatch_action: flag,
    element: required(inputElement),
  })(see, spot);
  see.inInput = false;
};

const cellNumber = object({ type: anything, value: anything, text: string(10_000, { min: 0 }) });
const cellText = object({ type: anything, text: required(string(10_000, { min: 0 })) });
const cell = typed({ raw_text: cellText, raw_number: cellNumber, rich_text: richText });
const row = list(cell, { max: 20 });
const columnSetting = object({ align: oneOf('left', 'center', 'right'), is_wrapped: flag });

/** Limits all cells of a table to about 10,000 characters together, a third party's figure. */
const cellsInAll: Check = (see, spot) => {
  if (countText(fieldsOf(spot.value).rows) > 10_000)
    see.report(spot, 'has more than 10,000 characters in its cells');
};

const evenRows: Check = (see, spot) => {
  const { rows } = fieldsOf(spot.value);
  if (!Array.isArray(rows)) return;
  const widths = new Set(rows.map((cells) => (Array.isArray(cells) ? cells.length : 0)));
  if (widths.size > 1) see.report(below(spot, 'rows'), 'do not all have the same length');
  if (fieldsListOf(rows[0]).some(({ type }) => type === 'rich_text')) {
    see.report(below(below(spot, 'rows'), 0), 'is the header, which cannot hold rich text');
  }
};

const card: Check = both(
  block({
    hero_image: imageElement,
    icon: imageElement,
    slack_icon: anything,
    title: anyText(150),
    subtitle: anyText(150),
    subtext: anyText(200),
    body: mrkdwn(200),
    actions: list(typed({ button }), { max: 3 }),
  }),
  (see, spot) => {
    const { hero_image, title, actions, body } = fieldsOf(spot.value);
    if ([hero_image, title, actions, body].every((part) => part === undefined)) {
      see.report(spot, 'needs one of hero_image, title, actions and body');
    }
  },
);

const status = oneOf('pending', 'in_progress', 'complete', 'error');
const taskFields = {
  type: anything,
  block_id: string(limits.blockId),
  task_id: required(string(255)),
  title: required(string(3000)),
  details: richText,
  output: richText,
  sources: list(object({ type: anything, url: required(url), text: required(string(3000)) }), { max: 100 }),
  status: required(status),
};

/** Blocks that are also allowed in a container. */
const simpleBlocks: Record<string, BlockRule> = {
  section: { on: everywhere, check: section },
  header: {
    on: everywhere,
    check: block({ text: required(plain(limits.headerText)), level: integer(1, 4) }),
  },
  divider: { on: everywhere, check: block({}) },
  context: {
    on: everywhere,
    check: block({ elements: required(list(contextElement, { max: limits.contextElements })) }),
  },
  actions: {
    on: everywhere,
    check: block({ elements: required(list(actionElement, { max: limits.actionElements })) }),
  },
  image: { on: everywhere, check: both(block(imageBlockFields), either('image_url', 'slack_file')) },
  input: { on: everywhere, check: input },
  rich_text: { on: everywhere, check: richText },
  table: {
    on: notInModals,
    check: both(
      block({
        rows: required(list(row, { max: 100 })),
        column_settings: list(columnSetting, { min: 0, max: 20 }),
      }),
      cellsInAll,
    ),
  },
  video: {
    on: everywhere,
    check: block({
      video_url: required(url),
      thumbnail_url: required(url),
      alt_text: required(string(2000)),
      title: required(plain(199)),
      title_url: url,
      author_name: string(50),
      provider_name: string(50),
      provider_icon_url: url,
      description: plain(200),
    }),
  },
  file: {
    on: ['message'],
    check: block({ source: required(oneOf('remote')), external_id: required(string(255)) }),
  },
};

const childBlock = typed(
  Object.fromEntries(Object.entries(simpleBlocks).map(([type, rule]) => [type, rule.check])),
);

const container: Check = both(
  block({
    title: plain(150),
    rich_text_title: richText,
    subtitle: anyText(150),
    icon: imageElement,
    child_blocks: required(list(childBlock, { max: 10 })),
    width: oneOf('narrow', 'standard', 'wide', 'full'),
    is_collapsible: flag,
    default_collapsed: flag,
    has_header_divider: flag,
  }),
  either('title', 'rich_text_title'),
);

const rules: Record<string, BlockRule> = {
  ...simpleBlocks,
  markdown: { on: ['message'], check: block({ text: required(string(limits.markdownText)) }) },
  data_table: {
    on: notInModals,
    check: both(
      block({
        rows: required(list(row, { min: 2, max: 101 })),
        caption: required(string(2000)),
        page_size: integer(1, 100),
        row_header_column_index: integer(0, 19),
      }),
      evenRows,
    ),
  },
  card: { on: everywhere, check: card },
  carousel: { on: ['message'], check: block({ elements: required(list(typed({ card }), { max: 10 })) }) },
  container: { on: notInModals, check: container },
  alert: {
    on: ['modal'],
    check: block({
      text: required(anyText(200)),
      level: oneOf('default', 'info', 'warning', 'error', 'success'),
    }),
  },
  context_actions: { on: ['message'], check: block({ elements: required(list(contextAction, { max: 5 })) }) },
  plan: {
    on: ['message'],
    check: block({ title: required(string(3000)), tasks: list(anything, { max: 100 }) }),
  },
  task_card: { on: ['message'], check: object(taskFields) },
  /** Documented, but not in the types yet: its fields are not checked. */
  data_visualization: { on: notInModals, check: anything },
};

/** Returns the number of displayed characters below `value`. */
function countText(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, entry) => sum + countText(entry), 0);
  if (!isFields(value)) return 0;
  return Object.entries(value).reduce(
    (sum, [key, entry]) =>
      sum + (key === 'text' && typeof entry === 'string' ? entry.length : countText(entry)),
    0,
  );
}

const surfaceNames: Record<Surface, string> = { message: 'a message', modal: 'a modal', home: 'a Home tab' };

function checkBlock(see: Inspection, spot: Spot): void {
  const { type } = fieldsOf(spot.value);
  const rule = typeof type === 'string' && Object.hasOwn(rules, type) ? rules[type] : undefined;
  const typeSpot = below(spot, 'type');
  if (rule === undefined) see.report(typeSpot, `is "${String(type)}", which is not a block type`);
  else if (!rule.on.includes(see.surface)) {
    see.report(typeSpot, `is "${String(type)}", which is not allowed in ${surfaceNames[see.surface]}`);
  } else {
    see.actionIds = new Set();
    rule.check(see, spot);
  }
}

function checkBlockIds(see: Inspection, spot: Spot): void {
  const seen = new Set<unknown>();
  const look = (at: Spot): void => {
    const fields = fieldsOf(at.value);
    const idSpot = below(at, 'block_id');
    if (idSpot.value !== undefined && seen.has(idSpot.value)) {
      see.report(idSpot, `is "${String(idSpot.value)}", which is already used`);
    }
    seen.add(idSpot.value);
    if (Array.isArray(fields.child_blocks)) {
      const children = below(at, 'child_blocks');
      for (const index of fields.child_blocks.keys()) look(below(children, index));
    }
  };
  if (Array.isArray(spot.value)) for (const index of spot.value.keys()) look(below(spot, index));
}

function checkWholeMessage(see: Inspection, spot: Spot, tooLong: (sentence: string) => void): void {
  const blocks = fieldsListOf(spot.value);
  const tables = blocks.filter(({ type }) => type === 'table');
  if (tables.length > 1) see.report(spot, 'has more than one table');
  const markdown = countText(blocks.filter(({ type }) => type === 'markdown'));
  const allowed = limits.charactersPerMessage.toLocaleString('en-GB');
  if (markdown > limits.markdownText)
    tooLong(`has ${markdown} characters of markdown, Slack allows ${allowed}`);
  else if (countText(blocks) > limits.charactersPerMessage) {
    tooLong(`has ${countText(blocks)} characters of text in all, Slack allows about ${allowed}`);
  }
}

/** Returns the last part of a pointer as the subject of a sentence. */
function nameOf(pointer: string): string {
  const parts = pointer.split('/').filter((part) => part !== '');
  const last = parts.at(-1) ?? 'this';
  if (!/^\d+$/.test(last)) return `The ${last}`;
  return `Entry ${last} of ${parts.at(-2) ?? 'the list'}`;
}

function makeInspection(surface: Surface, problems: BlockProblem[]): Inspection {
  return {
    surface,
    report: ({ pointer }, sentence) => {
      problems.push({ pointer, sentence: `${nameOf(pointer)} ${sentence}.`, error: 'invalid_blocks' });
    },
    actionIds: new Set(),
    focused: 0,
    inInput: false,
  };
}

function inspectBlocks(see: Inspection, spot: Spot, problems: BlockProblem[]): void {
  if (!Array.isArray(spot.value)) {
    see.report(spot, 'is not a list');
    return;
  }
  const max = see.surface === 'message' ? limits.blocksPerMessage : limits.blocksPerView;
  list(checkBlock, { min: 0, max })(see, spot);
  checkBlockIds(see, spot);
  if (see.surface !== 'message') return;
  checkWholeMessage(see, spot, (sentence) => {
    problems.push({
      pointer: spot.pointer,
      sentence: `The message ${sentence}.`,
      error: 'msg_blocks_too_long',
    });
  });
}

/**
 * Returns everything Slack would refuse about a list of blocks on a surface: unknown blocks, elements and fields, blocks that are not
 * allowed there, limits of length and number, duplicate ids.
 * @param blocks the parsed `blocks`
 * @param surface where they will be shown
 * @returns one entry per problem, none if Slack would accept them
 */
export function validateBlocks(blocks: unknown, surface: Surface): BlockProblem[] {
  const problems: BlockProblem[] = [];
  inspectBlocks(makeInspection(surface, problems), { pointer: '/blocks', value: blocks }, problems);
  return problems;
}

/**
 * Returns the errors of a workspace that does not support some of the block types in `blocks` yet.
 * @param pointer of the list: `/blocks`, `/view/blocks`
 */
export function refusedBlocks(blocks: unknown, refused: readonly string[], pointer: string): BlockProblem[] {
  return fieldsListOf(blocks).flatMap(({ type }, index) =>
    refused.includes(String(type))
      ? [
          {
            pointer: `${pointer}/${index}/type`,
            sentence: `The type is "${String(type)}", which this workspace does not support.`,
            error: 'invalid_blocks' as const,
          },
        ]
      : [],
  );
}

const viewFields: Record<string, Check> = {
  type: anything,
  blocks: anything,
  private_metadata: string(limits.privateMetadata, { min: 0 }),
  callback_id: string(limits.callbackId, { min: 0 }),
  external_id: string(255, { min: 0 }),
};

const modalCheck = object({
  ...viewFields,
  title: required(plain(limits.modalTitle)),
  submit: plain(limits.modalTitle),
  close: plain(limits.modalTitle),
  clear_on_close: flag,
  notify_on_close: flag,
  submit_disabled: flag,
});

const homeCheck = object(viewFields);

function needsSubmit(view: Fields): boolean {
  return view.submit === undefined && fieldsListOf(view.blocks).some(({ type }) => type === 'input');
}

/**
 * Returns everything Slack would refuse about a view, including its blocks.
 * @param view the parsed `view` of `views.open`, `push`, `update` or `publish`
 * @returns one entry per problem, with pointers from `/view`
 */
export function validateView(view: unknown): BlockProblem[] {
  const spot: Spot = { pointer: '/view', value: view };
  const fields = fieldsOf(view);
  const problems: BlockProblem[] = [];
  if (fields.type !== 'modal' && fields.type !== 'home') {
    const sentence = `The type is "${String(fields.type)}", not modal or home.`;
    return [{ pointer: '/view/type', sentence, error: 'invalid_arguments' }];
  }
  const see = makeInspection(fields.type, problems);
  (fields.type === 'modal' ? modalCheck : homeCheck)(see, spot);
  if (fields.type === 'modal' && needsSubmit(fields)) {
    see.report(below(spot, 'submit'), 'is missing, though there are input blocks');
  }
  // Problems of the view itself are `invalid_arguments`; those of its blocks are added below and keep their own codes.
  for (const problem of problems) problem.error = 'invalid_arguments';
  inspectBlocks(see, below(spot, 'blocks'), problems);
  const bytes = Buffer.byteLength(JSON.stringify(view));
  if (bytes > limits.viewBytes) {
    problems.push({ pointer: '/view', sentence: `The view has ${bytes} bytes.`, error: 'view_too_large' });
  }
  return problems;
}
