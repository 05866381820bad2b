import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Channel } from '../../../sandbox/slack/directory.ts';
import { bodyOf } from '../../support/notify.ts';
import type { Stage } from '../../support/stage.ts';

/** How a channel learns of a folder that was moved. */
export type MovedWhile = 'live' | 'muted' | 'digest';

/** Ids of the folders that the files are in, the outermost first: GUIDs, as the service sends them. */
const folderIds = Array.from({ length: 4 }, () => randomUUID());
const perRequest = 250;

/** A path of 160 characters to a file. */
function pathOf(folder: string, index: number): string {
  const name = `Sheet ${String(index).padStart(5, '0')}.pdf`;
  const place = `Root/${folder}/`;
  return `${place}${'deeper/'.repeat(30).slice(0, 159 - place.length - name.length)}/${name}`;
}

/** Gives the server's sessions on a stage's database so much memory for each sort or table, from the next connection on. */
export async function setWorkMem(stage: Pick<Stage, 'database'>, workMem: string): Promise<void> {
  const { pool } = stage.database.connect();
  const { rows } = await pool.query<{ name: string }>('select current_database() as name');
  await pool.query(`alter database ${rows[0]?.name} set work_mem = '${workMem}'`);
}

/**
 * Sends what the service sends when files are added to a folder, or when their folder is moved: one notification each. What is not answered
 * is sent again, to the first of the addresses that answers.
 */
export async function sendFiles(
  uris: string | readonly string[],
  { files, folder, eventType }: { files: number; folder: string; eventType: 'Create' | 'Update' },
): Promise<void> {
  const bodies = Array.from({ length: files }, (_, index) => {
    const path = pathOf(folder, index);
    const ids = [...folderIds, `0000${String(index).padStart(5, '0')}-${folderIds[0]?.slice(10)}`];
    const name = path.split('/').at(-1) ?? '';
    return bodyOf({ eventType, item: '', name, path, idPath: ids.join('/') });
  });
  for (let from = 0; from < files; from += perRequest) {
    const body = JSON.stringify(bodies.slice(from, from + perRequest));
    expect(await statusFrom([uris].flat(), body)).toBe(200);
  }
}

async function statusFrom([uri = '', ...others]: readonly string[], body: string): Promise<number> {
  const answer = await fetch(uri, { method: 'POST', body }).catch((error: unknown) => {
    if (others.length === 0) throw error;
  });
  await answer?.body?.cancel();
  return answer?.status ?? statusFrom(others, body);
}

/** Waits until so many events of a channel are posted, or held on purpose, and no process has a turn of its lane. */
export async function settled(
  { database }: Pick<Stage, 'database'>,
  channel: Channel,
  { posted, held, timeout }: { posted: number; held: number; timeout: number },
): Promise<void> {
  const { pool } = database.connect();
  await expect
    .poll(
      async () => {
        const { rows } = await pool.query(
          `select count(*) filter (where e.state = 'posted')::int as posted,
             count(*) filter (where e.state = 'pending' and e.reason is not null)::int as held,
             (select claimed_until is not null from plancast.lanes where channel_id = $1) as claimed
           from plancast.events e where e.channel_id = $1`,
          [channel.id],
        );
        return rows[0];
      },
      { timeout, interval: 200 },
    )
    .toEqual({ posted, held, claimed: false });
}

/** The text of a message that shows files, or changes to some. */
export const showsFiles = /\d files|\d changes/;

/** Counts a channel's messages that show files, and those of them that no event names: the same files were posted again. */
export async function messagesOf(
  { slack, database }: Pick<Stage, 'slack' | 'database'>,
  channel: Channel,
): Promise<{ messages: number; again: number }> {
  const { rows } = await database
    .connect()
    .pool.query<{ ts: string }>(
      `select distinct message_ts as ts from plancast.events where channel_id = $1 and state = 'posted'`,
      [channel.id],
    );
  const named = new Set(rows.map(({ ts }) => ts));
  const shown = slack.messages(channel).filter(({ text }) => showsFiles.test(text));
  return { messages: shown.length, again: shown.filter(({ ts }) => !named.has(ts)).length };
}
