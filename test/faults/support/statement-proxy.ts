import { once } from 'node:events';
import { createServer, connect as openSocket, type Socket } from 'node:net';

/**
 * When a connection is stopped: at the first statement that fits.
 * - `before`: the server never hears of it, nor of anything after it
 * - `after`: the server does it, and the client never hears of that
 */
export type HoldRule = {
  readonly statement: RegExp;
  /** Only where a statement that fits this came before it in the same transaction. */
  readonly following?: RegExp | undefined;
  /** Only connections of this `application_name`. */
  readonly application?: string | undefined;
  readonly when: 'before' | 'after';
  /** Only the n-th that fits, counted over all connections from 1; all by default. */
  readonly nth?: number | undefined;
};

export type Hold = {
  /** How many connections stand still at the point by now. */
  readonly count: () => number;
  /** Settles once so many do. */
  readonly reached: (count: number, withinMs?: number) => Promise<void>;
  /** Releases those that were held before a statement, and holds no more. */
  readonly release: () => void;
};

export type StatementProxy = {
  /** For `DATABASE_URL`. */
  readonly url: string;
  readonly hold: (rule: HoldRule) => Hold;
  /** Holds nobody any more who is not held yet. */
  readonly clear: () => void;
  /** Each statement that came by, while they are written down. */
  readonly statements: readonly string[];
  readonly close: () => Promise<void>;
};

/** Messages by their first byte (Postgres: message formats). */
const code = (letter: string): number => letter.charCodeAt(0);
const frontend = { query: code('Q'), parse: code('P'), bind: code('B'), sync: code('S') };
const readyForQuery = code('Z');
/** Type and length. */
const header = 5;
/** Length and version, before the settings of a connection that begins. */
const startupHeader = 8;
const keptStatements = 5_000;

type ArmedHold = {
  readonly rule: HoldRule;
  seen: number;
  held: number;
  readonly waiting: Set<() => void>;
  readonly resume: Set<() => void>;
};

/**
 * Stands between a bot and its database, and stops connections at a statement: from outside, at a point that nothing in the bot knows
 * of. It reads as much of the protocol as that takes; a bot that is killed there leaves its transaction to be undone by the server,
 * as on a machine that lost power.
 */
export async function startStatementProxy(databaseUrl: string): Promise<StatementProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const statements: string[] = [];
  let holds: ArmedHold[] = [];
  const server = createServer((client) => {
    const upstream = openUpstream(target);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    passOn(client, upstream, meet);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = new URL(databaseUrl);
  url.search = '';
  url.host = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;

  function meet(statement: string, { application, before }: Circumstances): ArmedHold | undefined {
    if (statements.length < keptStatements) statements.push(statement);
    return holds.find((hold) => {
      const { rule } = hold;
      if (!rule.statement.test(statement)) return false;
      if (rule.application !== undefined && rule.application !== application) return false;
      const { following } = rule;
      if (following && !before.some((earlier) => following.test(earlier))) return false;
      hold.seen += 1;
      return rule.nth === undefined || rule.nth === hold.seen;
    });
  }

  return {
    url: url.href,
    hold(rule) {
      const hold: ArmedHold = { rule, seen: 0, held: 0, waiting: new Set(), resume: new Set() };
      holds.push(hold);
      return {
        count: () => hold.held,
        reached: (count, withinMs = 15_000) => reached(hold, count, withinMs),
        release() {
          holds = holds.filter((other) => other !== hold);
          for (const resume of hold.resume) resume();
        },
      };
    },
    clear() {
      holds = [];
    },
    statements,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function openUpstream(target: URL): Socket {
  const folder = target.searchParams.get('host');
  const port = target.port === '' ? 5432 : Number(target.port);
  return folder?.startsWith('/')
    ? openSocket(`${folder}/.s.PGSQL.${port}`)
    : openSocket(port, target.hostname);
}

function reached(hold: ArmedHold, count: number, withinMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (hold.held < count) return;
      hold.waiting.delete(look);
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      hold.waiting.delete(look);
      reject(new Error(`${hold.held} of ${count} connections came to ${hold.rule.statement}`));
    }, withinMs);
    hold.waiting.add(look);
    look();
  });
}

/** Where a statement is met: whose connection, and what came before it in the transaction. */
type Circumstances = { readonly application: string; readonly before: readonly string[] };

type Meet = (statement: string, circumstances: Circumstances) => ArmedHold | undefined;

/** Passes on what two ends of a connection say, until a statement is met at which it is to be held. */
function passOn(client: Socket, upstream: Socket, meet: Meet): void {
  const asked = makeReader(false);
  const answered = makeReader(true);
  const prepared = new Map<string, string>();
  let application: string | undefined;
  let transaction: string[] = [];
  let heldBefore = false;
  let held: ArmedHold | undefined;
  let arriving: ArmedHold | undefined;
  // What the server was asked and has not done yet, the start of the connection first.
  let open = 1;

  client.on('data', (chunk: Buffer) => {
    asked.add(chunk);
    readOn();
  });
  upstream.on('data', (chunk: Buffer) => {
    if (held?.rule.when !== 'after') client.write(chunk);
    answered.add(chunk);
    for (let message = answered.next(); message !== null; message = answered.next()) {
      if (message[0] === readyForQuery) open -= 1;
    }
    arriveWhenQuiet();
  });

  function readOn(): void {
    while (!heldBefore) {
      const message = asked.next();
      if (message === null) return;
      const hold = application === undefined ? begin(message) : meetIn(message);
      if (hold) {
        held = hold;
        arriving = hold;
      }
      if (hold?.rule.when === 'before') holdBefore(hold, message);
      else send(message);
    }
  }

  function send(message: Buffer): void {
    if (message[0] === frontend.query || message[0] === frontend.sync) open += 1;
    upstream.write(message);
  }

  function holdBefore(hold: ArmedHold, message: Buffer): void {
    heldBefore = true;
    hold.resume.add(() => {
      heldBefore = false;
      held = undefined;
      send(message);
      readOn();
    });
    arriveWhenQuiet();
  }

  /** Where statements are sent without waiting for the answers of those before them, the server may still be at those. */
  function arriveWhenQuiet(): void {
    if (!arriving || open > 0) return;
    const hold = arriving;
    arriving = undefined;
    hold.held += 1;
    for (const look of [...hold.waiting]) look();
  }

  function begin(message: Buffer): undefined {
    const settings = message.toString('utf8', startupHeader).split('\0');
    application = settings[settings.indexOf('application_name') + 1] ?? '';
  }

  function meetIn(message: Buffer): ArmedHold | undefined {
    const statement = statementIn(message, prepared);
    if (statement === null) return undefined;
    if (/^(begin|start transaction)/i.test(statement)) transaction = [];
    const hold = meet(statement, { application: application ?? '', before: transaction });
    transaction.push(statement);
    return hold;
  }
}

/** Cuts what comes into messages. The first one that a client sends has no type. */
function makeReader(typed: boolean) {
  let unread = Buffer.alloc(0);
  let typeLength = typed ? 1 : 0;
  return {
    add(chunk: Buffer): void {
      unread = Buffer.concat([unread, chunk]);
    },
    next(): Buffer | null {
      if (unread.length < typeLength + 4) return null;
      const length = typeLength + unread.readUInt32BE(typeLength);
      if (unread.length < length) return null;
      const message = unread.subarray(0, length);
      unread = unread.subarray(length);
      typeLength = 1;
      return message;
    },
  };
}

/** The statement that a message has carried out. One that has a name is prepared once and carried out by that name. */
function statementIn(message: Buffer, prepared: Map<string, string>): string | null {
  const [first = '', second = ''] = message.toString('utf8', header).split('\0', 2);
  switch (message[0]) {
    case frontend.query:
      return first.trim();
    case frontend.parse:
      if (first === '') return second.trim();
      prepared.set(first, second.trim());
      return null;
    case frontend.bind:
      return second === '' ? null : (prepared.get(second) ?? null);
    default:
      return null;
  }
}
