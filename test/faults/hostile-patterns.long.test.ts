import { expect, onTestFinished, test } from 'vitest';
import { setStage } from '../support/stage.ts';
import { endureHostile } from './support/hostile-patterns.ts';

const channels = 24;
const deep = (length: number) => `${'*a'.repeat(10)}${'a'.repeat(length - 21)}b`;
const braces = (length: number) => `${'{a,b}'.repeat(10)}${'[a]'.repeat(Math.floor((length - 50) / 3))}`;
const patterns = (count: number, length: number) => [
  ...Array.from({ length: count }, (_, index) => (index % 2 === 0 ? deep : braces)(length - index)),
  '*.pdf',
];

test.each([
  { name: '3 patterns', patterns: patterns(3, 1_300), events: 3_000, pathLength: 160 },
  {
    name: '11 patterns of an earlier release',
    patterns: patterns(11, 1_000),
    events: 3_000,
    pathLength: 160,
  },
  {
    name: '11 patterns of an earlier release, paths of 4,000 characters',
    patterns: patterns(11, 1_000),
    events: 100,
    pathLength: 3_900,
  },
])(
  'S95: $events changes in 24 channels with $name, two processes: somebody else gets a message within 2 s',
  async ({ name, ...load }) => {
    const stage = await setStage({ name: 'hostile patterns', bot: false, rateLimit: 'strict' });
    onTestFinished(() => stage.close());
    const report = await endureHostile(stage, {
      ...load,
      channels,
      timeout: 280_000,
    });
    process.stderr.write(`${name}: ${JSON.stringify(report)}\n`);
    expect(report.again).toBe(0);
    expect(report.others.slowest).toBeLessThan(2_000);
  },
  600_000,
);
