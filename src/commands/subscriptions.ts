import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { completed, type PlannedPlace, planImport } from '../core/administering/plan-import.ts';
import { type ReadFile, readFile } from '../core/administering/read-file.ts';
import { writeFile } from '../core/administering/write-file.ts';
import type { Workspace } from '../core/model/people.ts';
import {
  type FileFault,
  type FileRow,
  type FileVerdict,
  ownDirectMessage,
} from '../core/model/subscription-file.ts';
import { noWorkspaceFilter } from '../core/model/workspace-filter.ts';
import type { Env } from '../env.ts';
import { faultWords, planSummary } from '../messages/admin/file-words.ts';
import { describeTarget } from '../messages/text/copy.ts';
import { grouped } from '../messages/text/grouped.ts';
import { inPlain } from '../messages/text/phrase.ts';
import { parseWords } from '../slack/grammar/parse-fields.ts';
import type { ConnectedDatabase } from '../store/database.ts';
import { onDb } from '../store/sql.ts';
import * as status from '../store/status.ts';
import * as imports from '../store/tables/imports.ts';
import * as settings from '../store/tables/settings.ts';
import * as subscriptions from '../store/tables/subscriptions.ts';
import * as live from '../store/workspace-subscriptions.ts';
import { EndError, exitCodes } from './lib/end-error.ts';
import { type Environment, runCommand, say } from './lib/run-command.ts';
import { onDatabase } from './lib/visit-database.ts';

const usage = `Usage: npm run subscriptions -- export [--team T]         all subscriptions as YAML, or those of one workspace
       npm run subscriptions -- import FILE [--dry-run]   asks each owner to agree, in a direct message; - reads stdin
With --dry-run nothing is changed: each line says what would happen.`;

/** Maximum mistakes printed; the rest are only counted. */
const mistakesShown = 50;

type SubscriptionsCommand =
  | { readonly act: 'export'; readonly teamId: string | null }
  | { readonly act: 'import'; readonly file: string; readonly dryRun: boolean };

async function main(args: readonly string[], environment: Environment): Promise<void> {
  const asked = readArguments(args);
  // Read the file first, so that a missing one fails before we connect to the database.
  const read = asked.act === 'import' ? readFile(contentOf(asked.file), parseWords) : null;
  await onDatabase(environment, async ({ database, env }) => {
    if (asked.act === 'export') await exportTo(database, asked.teamId);
    else if (read) await importFrom(read, { database, env, dryRun: asked.dryRun });
  });
}

function readArguments([act, ...rest]: readonly string[]): SubscriptionsCommand {
  const isOption = (text: string) => text.startsWith('--');
  if (act === 'export') {
    const [option, teamId, ...more] = rest.flatMap((text) =>
      text.split(/^(--team)=/).filter((part) => part !== ''),
    );
    if (option === undefined) return { act, teamId: null };
    if (option === '--team' && teamId !== undefined && !isOption(teamId) && more.length === 0) {
      return { act, teamId };
    }
  }
  if (act === 'import') {
    const [file, ...more] = rest.filter((text) => !isOption(text));
    const options = rest.filter(isOption);
    if (file !== undefined && more.length === 0 && options.every((option) => option === '--dry-run')) {
      return { act, file, dryRun: options.length > 0 };
    }
  }
  throw new EndError(usage, exitCodes.usage);
}

function contentOf(file: string): string {
  if (file === '-') return readFileSync(0, 'utf8');
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) return readFileSync(file, 'utf8');
  throw new EndError(`There is no file ${file}`);
}

async function exportTo({ db }: ConnectedDatabase, teamId: string | null): Promise<void> {
  const all = await live.workspaces(db);
  const chosen = all.filter((workspace) => teamId === null || workspace.teamId === teamId);
  if (chosen.length === 0) {
    const where = teamId === null ? '' : ` in workspace ${teamId}`;
    process.stderr.write(`There are no subscriptions${where}.\n`);
    if (teamId !== null) process.exitCode = exitCodes.failed;
    return;
  }
  for (const [index, workspace] of chosen.entries()) {
    const channels = await live.channels(db, workspace, noWorkspaceFilter);
    const channelIds = channels.map(({ channelId }) => channelId);
    const rows = await live.exportable(db, workspace, channelIds);
    say(`${index === 0 ? '' : '---\n'}${writeFile(workspace, rows).trimEnd()}`);
  }
}

async function importFrom(
  read: ReadFile,
  {
    database,
    env,
    dryRun,
  }: { readonly database: ConnectedDatabase; readonly env: Env; readonly dryRun: boolean },
): Promise<void> {
  const { db } = database;
  const { verdicts } = await planImport(read, {
    subscriptions: onDb(db, subscriptions),
    settingsOf: (workspace) => settings.of(db, workspace),
    place: placeWith(await knownWorkspaces(database, env)),
  });
  const mistakes = verdicts.flatMap((verdict) => (verdict.kind === 'refused' ? [verdict.fault] : []));
  showMistakes(mistakes);
  if (dryRun) {
    for (const verdict of verdicts) if (verdict.kind !== 'refused') say(lineFor(verdict));
  }
  const rows = verdicts.flatMap((verdict) =>
    verdict.kind === 'add' || verdict.kind === 'change' ? [verdict.row] : [],
  );
  const summary = inPlain(planSummary(verdicts));
  if (dryRun) say(`${summary} Nothing was changed.`);
  else {
    await db
      .transaction()
      .execute((trx) => imports.add(trx, rows.flatMap(importOf), randomUUID(), new Date()));
    const owners = new Set(rows.map(({ teamId, ownerUserId }) => `${teamId}/${ownerUserId}`)).size;
    say(
      rows.length === 0
        ? summary
        : `${summary} Waiting for the consent of ${owners === 1 ? '1 owner' : `${owners} owners`}: the bot asks each in a direct message.`,
    );
  }
  if (mistakes.length > 0) process.exitCode = exitCodes.failed;
}

function showMistakes(mistakes: readonly FileFault[]): void {
  for (const fault of mistakes.slice(0, mistakesShown)) {
    process.stderr.write(`${inPlain(faultWords(fault))}\n`);
  }
  const more = mistakes.length - mistakesShown;
  if (more > 0) process.stderr.write(`… and ${grouped(more)} more mistakes\n`);
}

/** Returns the ids of the workspaces that installed the bot; null if it uses the token of one workspace, whose id only Slack knows. */
async function knownWorkspaces(database: ConnectedDatabase, env: Env): Promise<ReadonlySet<string> | null> {
  if (env.slack.access.kind !== 'installed') return null;
  const counts = await status.counts(database.db);
  return new Set(counts.filter(({ kind }) => kind === 'installation').map(({ teamId }) => teamId));
}

/** Assigns each row to its owner. Whether the owner and the bot are in the channel is checked when the owner agrees. */
function placeWith(installed: ReadonlySet<string> | null) {
  return async ({ teamId, enterpriseId, channelId, ownerUserId }: FileRow): Promise<PlannedPlace> => {
    if (teamId === null)
      return {
        fault: { kind: 'shape', expected: '`team:` and the id of the workspace at the top of the file' },
      };
    if (ownerUserId === null) return { fault: { kind: 'no owner' } };
    const isInstalled =
      installed === null || installed.has(teamId) || (enterpriseId !== null && installed.has(enterpriseId));
    if (!isInstalled) return { fault: { kind: 'not installed', teamId } };
    const workspace: Workspace = { teamId, enterpriseId };
    const channel = channelId === ownDirectMessage ? null : { ...workspace, channelId };
    return { owner: { ...workspace, userId: ownerUserId }, channel };
  };
}

function importOf(row: FileRow) {
  const { teamId, enterpriseId, ownerUserId: userId, channelId, zone } = row;
  if (teamId === null || userId === null) return [];
  return [{ owner: { teamId, enterpriseId, userId }, channelId, request: completed(row), zone }];
}

function lineFor(verdict: Exclude<FileVerdict, { kind: 'refused' }>): string {
  const { line, channelId, ownerUserId, request } = verdict.row;
  const { target, comprehensive, name = null } = request;
  const what = inPlain(describeTarget({ target, comprehensive, name }));
  const where = `${channelId === ownDirectMessage ? 'a direct message' : channelId}, for ${ownerUserId}`;
  const does = { add: 'would be added to', change: 'would change in', same: 'is already in' }[verdict.kind];
  return `Line ${line}: ${what} ${does} ${where}.`;
}

runCommand(usage, main);
