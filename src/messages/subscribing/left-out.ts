import type { Fault, Mistake } from '../../core/model/mistake.ts';
import { describeFault } from '../text/copy.ts';
import { button, type Message, messageOf } from '../text/message.ts';
import { andMore, inPlain, plainly, say, typed } from '../text/phrase.ts';

/** A request to offer: the line as it would be typed, and the value of its button. */
type Offer = { readonly line: string; readonly value: string };

/** A line may name hundreds of projects. So many fit into a message, however long the line is. */
const mostChoices = 8;

/**
 * Answers a line that does not run at once: what was understood as a line, what was left out, and a button for each way to go on.
 *
 * @param understood null if it is no request yet; `form` is the value of the button that opens the form with it, null if there is no form
 */
export function partlyUnderstood(answer: {
  readonly understood: (Offer & { readonly form: string | null }) | null;
  readonly leftOut: string;
  readonly faults: readonly Fault[];
  readonly choices: readonly (Offer & { readonly label: string })[];
  readonly lacks: Mistake['lacks'];
}): Message {
  const { understood, leftOut, faults, choices, lacks } = answer;
  const rows = choices.slice(0, mostChoices).map(({ line, label, value }) => {
    const options = { value, spokenAfter: say`: ${typed(line)}` };
    return { lines: [[typed(line)]], button: button('answer', inPlain([plainly(label)]), options) };
  });
  return messageOf({
    lines: [
      lacks !== null && lacking[lacks],
      understood !== null && say`I understood ${typed(understood.line)}`,
      // A wrong value is named by its fault.
      leftOut !== '' && !faults.some(({ value }) => value === leftOut) && say`I left out ${typed(leftOut)}`,
      ...faults.map((fault) => say`${describeFault(fault)}.`),
      choices.length > 1 && lacks === null && faults.length === 0 && say`Which one do you want?`,
    ],
    rows,
    small: andMore(choices.length - rows.length),
    buttons: [
      understood !== null && faults.length === 0 && runButton(understood),
      understood?.form != null && button('fill-form', 'Edit in the form', { value: understood.form }),
    ],
  });
}

function runButton({ line, value }: Offer) {
  return button('answer', 'Run this', {
    value,
    style: 'primary',
    spokenAfter: say`: ${typed(line)}`,
  });
}

const lacking = {
  target: say`Which project or session? Paste its link, or type its id or name.`,
  command: say`I don’t know that command.`,
};
