import { expect, test } from 'vitest';
import { withTyped } from '../../src/messages/subscribing/answers.ts';
import { limits } from '../../src/messages/text/limits.ts';

test.each([20, 25, 30, 40])(
  'an answer with %i characters of room left repeats my command whole or not at all',
  (room) => {
    const answer = { text: 'x'.repeat(limits.text - room), blocks: [] };
    const { text } = withTyped(answer, '/subscribe "A&B"');
    expect(text.length).toBeLessThanOrEqual(limits.text);
    expect(text.slice(answer.text.length)).toMatch(/^(\nTo try again: `\/subscribe "A&amp;B"`|)$/);
  },
);
