import { dayMs, later, minuteMs } from '../../lib/durations.ts';
import { forEachRow } from '../../lib/for-each-row.ts';
import { importAccepted, importDeclined, importOffer, importUnderway } from '../../messages/admin/imports.ts';
import { alreadyGone } from '../../messages/subscribing/answers.ts';
import type { ImportedFor, ImportedRow } from '../../store/tables/imports.ts';
import type { CommandContext } from '../access/command-context.ts';
import { requireMayChange } from '../access/who-may.ts';
import { personFields } from '../model/log-fields.ts';
import { requestSchema } from '../model/request.ts';
import { refreshHome } from '../subscribing/show-home.ts';
import type { AdministeringRoomDeps } from './administering-deps.ts';
import type { CompleteRow, ImportRow, NotImported } from './import-row.ts';

type ImportResult = { readonly line: CompleteRow; readonly failure: NotImported | null };

type OfferImportsDeps = AdministeringRoomDeps & { readonly importRow: ImportRow };

/** Owners asked in one round: Slack allows about one direct message a second. */
const asksARound = 30;
/** How long the bot keeps trying to reach an owner. */
const triesForMs = dayMs;
/** How long adding one subscription can take; if it is still there then, the process has died. */
const claimMs = minuteMs;

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
    log.warn({ err: error, ...personFields(owner) }, 'could not ask an owner about an import');
    if (clock.now().getTime() - importedAt.getTime() > triesForMs)
      await imports.markAsked(waiting, clock.now());
  }

  /** Adds the subscription of a row. Returns the result in a list; an empty list if this release or this process is not to add it. */
  async function add(context: CommandContext, row: ImportedRow, batch: string): Promise<ImportResult[]> {
    const [line] = complete(row);
    const now = clock.now();
    // A row may already have been claimed by a second click.
    if (line === undefined || !(await imports.claim(row.id, { now, until: later(now, claimMs) }))) return [];
    // In an organization, the button can be pressed from another workspace.
    const person = { ...context.person, teamId: row.owner.teamId };
    const failure = await deps.importRow({ ...context, person }, line, (there, wanted) =>
      requireMayChange(deps.bot, there, wanted),
    );
    // Only now, so that nothing is lost if this process dies in between.
    await (failure?.mayRetry ? imports.unclaim(row.id, batch) : imports.remove(row.id, batch));
    return [{ line, failure }];
  }

  return {
    /** Asks the owners who were not asked yet. Runs every minute. */
    async askOwners(): Promise<void> {
      const waiting = await imports.unasked(asksARound);
      await forEachRow(
        waiting,
        (one) => offer(one).catch((error: unknown) => giveUp(one, error)),
        (error, { owner }) =>
          log.warn({ err: error, ...personFields(owner) }, 'could not mark an import as asked'),
      );
    },

    /**
     * The owner accepts: adds what can be added now, and lists the rest with the reasons. What may succeed later stays, and the owner can
     * try it again.
     */
    async accept(context: CommandContext, batch: string): Promise<void> {
      const rows = await imports.of(batch, context.person);
      if (rows.length === 0) return context.reply(alreadyGone, { replace: true });
      await deps.requireLink(context, { act: 'import', batch });
      const results: ImportResult[] = [];
      for (const row of rows) results.push(...(await add(context, row, batch)));
      // The buttons stay.
      if (results.length === 0 && rows.some((row) => complete(row).length > 0))
        return context.reply(importUnderway);
      const failed = results.flatMap(({ line, failure }) => (failure ? [{ ...line, ...failure }] : []));
      const retryValue = failed.some(({ mayRetry }) => mayRetry) ? batch : null;
      await context.reply(importAccepted(results.length - failed.length, failed, retryValue), {
        replace: true,
      });
      await refreshHome(deps.bot, context.person);
    },

    async decline(context: CommandContext, batch: string): Promise<void> {
      for (const { id } of await imports.of(batch, context.person)) await imports.remove(id, batch);
      await context.reply(importDeclined, { replace: true });
    },
  };
}

/** Returns the row in a list; an empty list if this release cannot read the request that another one stored. */
function complete({ channelId, request, zone }: ImportedRow): CompleteRow[] {
  const read = requestSchema.safeParse(request);
  if (!read.success || read.data.act !== 'subscribe') return [];
  const { target } = read.data;
  return target.kind === 'unknown' ? [] : [{ channelId, zone, request: { ...read.data, target } }];
}
