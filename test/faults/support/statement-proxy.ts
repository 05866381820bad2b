import { once } from 'node:events';
import { createServer, connect as openSocket, type Socket } from 'node:net';

/**
 * When a connection is held: at the first matching statement.
 * - `before`: the server never receives the statement, nor anything after it
 * - `after`: the server executes it, and the client never gets the answer
 */
export type HoldRule = {
  readonly statement: RegExp;
  readonly when: 'before' | 'after';
  /** Only the n-th match, counted from 1 over all connections; all by default. */
  readonly nth?: number | undefined;
};

export type Hold = {
  /** Resolves once `count` connections are held. */
  readonly reached: (count: number, withinMs?: number) => Promise<void>;
  /** Releases connections held before a statement, and stops holding. */
  readonly release: () => void;
};

export type StatementProxy = {
  /** For `DATABASE_URL`. */
  readonly url: string;
  readonly hold: (rule: HoldRule) => Hold;
  /** Stops holding further connections. */
  readonly clear: () => void;
  readonly close: () => Promise<void>;
};

/** Message types by their first byte (Postgres: message formats). */
const code = (letter: string): number => letter.charCodeAt(0);
const frontend = { query: code('Q'), parse: code('P'), bind: code('B'), sync: code('S') };
const readyForQuery = code('Z');
/** Length of type and length field, in bytes. */
const header = 5;

type ArmedHold = {
  readonly rule: HoldRule;
  seen: number;
  held: number;
  readonly waiting: Set<() => void>;
  readonly resume: Set<() => void>;
};

/**
 * Sits between a bot and its database, and holds connections at a chosen statement. Nothing in the bot knows about that point. It parses
 * only as much of the protocol as that needs. When a bot is killed there, the server rolls back its transaction, as after a power failure.
 */
export async function startStatementProxy(databaseUrl: string): Promise<StatementProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
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

  function meet(statement: string): ArmedHold | undefined {
    return holds.find((hold) => {
      const { rule } = hold;
      if (!rule.statement.test(statement)) return false;
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
      reject(new Error(`${hold.held} of ${count} connections reached ${hold.rule.statement}`));
    }, withinMs);
    hold.waiting.add(look);
    look();
  });
}

type Meet = (statement: string) => ArmedHold | undefined;

/** Forwards data in both directions, until a statement must be held. */
function passOn(client: Socket, upstream: Socket, meet: Meet): void {
  const asked = makeReader(false);
  const answered = makeReader(true);
  const prepared = new Map<string, string>();
  let heldBefore = false;
  let held: ArmedHold | undefined;
  let arriving: ArmedHold | undefined;
  // Requests that the server has not completed yet; the first one is the connection startup.
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
      const statement = statementIn(message, prepared);
      const hold = statement === null ? undefined : meet(statement);
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

  /** With pipelined statements, the server may still be working on earlier ones. */
  function arriveWhenQuiet(): void {
    if (!arriving || open > 0) return;
    const hold = arriving;
    arriving = undefined;
    hold.held += 1;
    for (const look of [...hold.waiting]) look();
  }
}

/** Splits a byte stream into messages. The first message of a client has no type byte. */
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

/** Returns the statement that a message executes. A named statement is prepared once and executed by name. */
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
