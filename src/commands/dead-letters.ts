import type { Notification } from '../core/model/notification.ts';
import { EndError, exitCodes } from '../lib/end-error.ts';
import { signalLanes } from '../store/lane-signals.ts';
import * as audit from '../store/tables/audit.ts';
import type { DeadLetter } from '../store/tables/dead-letters.ts';
import * as deadLetters from '../store/tables/dead-letters.ts';
import { type Environment, runCommand, say } from './lib/run-command.ts';
import { onDatabase, type Visit } from './lib/visit-database.ts';

const usage = `Usage: npm run dead-letters -- list         one line each: id, when, channel, notification, Slack's error, what
       npm run dead-letters -- show ID      everything stored about one
       npm run dead-letters -- replay ID    retries it
       npm run dead-letters -- replay all   retries all of them
ID is the first word of a listed line, or the id of a notification.`;

/** Maximum dead letters read or retried in one transaction. */
const pageSize = 1_000;

async function main(environment: Environment, [act, id]: readonly string[]): Promise<void> {
  const needsId = act === 'show' || act === 'replay';
  if (!(needsId ? id : act === 'list' && id === undefined)) throw new EndError(usage, exitCodes.usage);
  await onDatabase(environment, async (visit) => {
    if (id === undefined) await list(visit);
    else if (act === 'show') say((await find(visit, id)).map(pageOf).join('\n\n'));
    else if (id === 'all') await replayAll(visit);
    else await replaySome(visit, await find(visit, id));
  });
}

async function list(visit: Visit): Promise<void> {
  let any = false;
  for await (const page of pages(visit)) {
    any = true;
    say(page.map(lineOf).join('\n'));
  }
  if (!any) process.stderr.write('There are no dead letters.\n');
}

async function* pages({ database }: Visit): AsyncGenerator<readonly deadLetters.DeadLetter[]> {
  for (let after = '0'; ; ) {
    const page = await deadLetters.list(database.db, after, pageSize);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = last.seq;
  }
}

async function find({ database }: Visit, id: string): Promise<deadLetters.DeadLetter[]> {
  // Convert the id to its stored form: the service and logs may write it differently.
  const found = await deadLetters.find(database.db, id.toLowerCase().replace(/^\{(.*)\}$/, '$1'));
  if (found.length > 0) return found;
  throw new EndError('There is no dead letter with that id: `npm run dead-letters -- list` lists them.');
}

async function replaySome(visit: Visit, letters: readonly deadLetters.DeadLetter[]): Promise<void> {
  for (const { seq } of letters) {
    if ((await replay(visit, [seq])) === 1) say(`${seq} will be retried.`);
    else {
      process.stderr.write(
        `${seq} cannot be retried: its subscription has ended, or its details were deleted.\n`,
      );
      process.exitCode = exitCodes.failed;
    }
  }
}

async function replayAll(visit: Visit): Promise<void> {
  let [found, replayed] = [0, 0];
  for await (const page of pages(visit)) {
    found += page.length;
    replayed += await replay(
      visit,
      page.map(({ seq }) => seq),
    );
  }
  say(`${replayed} of ${found} will be retried.`);
  if (replayed < found)
    say('The others cannot be retried: their subscriptions have ended, or their details were deleted.');
}

/** Marks dead letters as pending, with an audit entry for each lane, all or nothing. Returns how many. */
function replay({ database }: Visit, seqs: readonly string[]): Promise<number> {
  return database.db.transaction().execute(async (trx) => {
    const now = new Date();
    const replayed = await deadLetters.replay(trx, seqs, now);
    for (const { lane, seqs: events } of replayed) {
      await audit.note(
        trx,
        { ...lane, act: 'replay dead letters', detail: { events: events.join(' ') } },
        now,
      );
    }
    await signalLanes(
      trx,
      replayed.map(({ lane }) => lane),
    );
    return replayed.reduce((sum, { seqs: events }) => sum + events.length, 0);
  });
}

runCommand(usage, main, [1, 2]);

/** Formats a dead letter as one line without text written by people: no email addresses, no names. */
function lineOf(letter: DeadLetter): string {
  return [
    letter.seq,
    letter.receivedAt.toISOString(),
    `${letter.teamId}/${letter.channelId}`,
    letter.notificationId,
    letter.error,
    letter.notification === null ? 'details deleted' : whatOf(letter.notification),
  ]
    .map(oneLine)
    .join('  ');
}

/** Formats everything stored about a dead letter. */
function pageOf(letter: DeadLetter): string {
  const { seq, receivedAt, enterpriseId, teamId, channelId, subscriptionId, notificationId, error } = letter;
  const facts = {
    id: seq,
    received: receivedAt.toISOString(),
    organization: enterpriseId ?? 'none',
    workspace: teamId,
    channel: channelId,
    subscription: subscriptionId,
    'notification id': notificationId,
    'Slack said': error,
  };
  const lines = Object.entries(facts).map(([name, value]) => `${name}: ${oneLine(value)}`);
  return [...lines, `notification: ${printable(JSON.stringify(letter.notification, null, 2))}`].join('\n');
}

/** Describes the event in the service's terms. */
function whatOf({ eventType, itemType, resourceType, projectId, sessionId }: Notification): string {
  const where = projectId === null ? sessionId && `session ${sessionId}` : `project ${projectId}`;
  return `${eventType} ${itemType ?? resourceType}${where === null ? '' : ` in ${where}`}`.slice(0, 120);
}

function oneLine(text: string): string {
  return printable(text.replaceAll('\n', ' '));
}

/** Replaces control and bidi characters that could manipulate a terminal; keeps the line breaks of JSON. */
function printable(text: string): string {
  return text.replace(/(?!\n)\p{C}/gu, '\ufffd');
}
