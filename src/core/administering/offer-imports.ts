import { dayMs } from '../../lib/durations.ts';
import { forEachRow } from '../../lib/for-each-row.ts';
import type { Log } from '../../lib/log.ts';
import {
  type ImportLine,
  importAccepted,
  importDeclined,
  importOffer,
} from '../../messages/admin/imports.ts';
import { alreadyGone } from '../../messages/subscribing/answers.ts';
import type { Message } from '../../messages/text/message.ts';
import type { ImportedFor, ImportedRow, Imports } from '../../store/tables/imports.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { RequireMayChange } from '../access/who-may.ts';
import type { LinkCommands } from '../linking/link-commands.ts';
import type { Clock } from '../model/clock.ts';
import type { SlackPerson } from '../model/people.ts';
import { requestSchema } from '../model/request.ts';
import type { CompleteRow, ImportRow } from './import-row.ts';

export type OfferImportsDeps = {
  readonly clock: Clock;
  readonly imports: Pick<Imports, 'unasked' | 'markAsked' | 'of' | 'take'>;
  readonly directMessage: (person: SlackPerson, message: Message) => Promise<void>;
  readonly requireLink: LinkCommands['requireLink'];
  readonly requireMayChange: RequireMayChange;
  readonly importRow: ImportRow;
  readonly refreshHome: (person: SlackPerson) => Promise<void>;
  readonly log: Pick<Log, 'warn'>;
};

/** Owners asked in one round: Slack allows about one direct message a second. */
const asksARound = 30;
/** How long the bot keeps trying to reach an owner. */
const triesForMs = dayMs;

/** Asks owners whether they want what an operator imported for them, and adds it once they accept. */
export function makeOfferImports(deps: OfferImportsDeps) {
  const { clock, imports, log } = deps;

  async function offer(waiting: ImportedFor): Promise<void> {
    const { owner, batch } = waiting;
    const rows = (await imports.of(batch, owner)).flatMap(complete);
    if (rows.length > 0) await deps.directMessage(owner, importOffer(rows, batch));
    await imports.markAsked(waiting, clock.now());
  }

  async function giveUp(waiting: ImportedFor, error: unknown): Promise<void> {
    const { owner, importedAt } = waiting;
    log.warn(
      { err: error, team: owner.teamId, person: owner.userId },
      'could not ask an owner about an import',
    );
    if (clock.now().getTime() - importedAt.getTime() > triesForMs)
      await imports.markAsked(waiting, clock.now());
  }

  return {
    /** Asks the owners who were not asked yet. Runs every minute. */
    async askOwners(): Promise<void> {
      const waiting = await imports.unasked(asksARound);
      await forEachRow(
        waiting,
        (one) => offer(one).catch((error: unknown) => giveUp(one, error)),
        (error, { owner }) =>
          log.warn({ err: error, team: owner.teamId }, 'could not mark an import as asked'),
      );
    },

    /** The owner accepts: adds everything they are allowed to add now, and lists the rest with the reasons. */
    async accept(context: CommandContext, batch: string): Promise<void> {
      const rows = await imports.of(batch, context.person);
      if (rows.length === 0) return context.reply(alreadyGone, { replace: true });
      await deps.requireLink(context, { act: 'import', batch });
      let done = 0;
      const failed: ImportLine[] = [];
      for (const row of rows) {
        const [line] = complete(row);
        // A row may already have been taken by a second click.
        if (line === undefined || !(await imports.take(row.id))) continue;
        const said = await deps.importRow(context, line, deps.requireMayChange);
        if (said === null) done += 1;
        else failed.push({ ...line, said });
      }
      await context.reply(importAccepted(done, failed), { replace: true });
      await deps.refreshHome(context.person);
    },

    async decline(context: CommandContext, batch: string): Promise<void> {
      for (const { id } of await imports.of(batch, context.person)) await imports.take(id);
      await context.reply(importDeclined, { replace: true });
    },
  };
}

export type OfferImports = ReturnType<typeof makeOfferImports>;

/** Returns the row in a list; an empty list if this release cannot read the request that another one stored. */
function complete({ channelId, request, zone }: ImportedRow): CompleteRow[] {
  const read = requestSchema.safeParse(request);
  if (!read.success || read.data.act !== 'subscribe') return [];
  const { target } = read.data;
  return target.kind === 'unknown' ? [] : [{ channelId, zone, request: { ...read.data, target } }];
}
