import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import pg from 'pg';

/**
 * The yardsticks: a server that parses the JSON and answers; one that also inserts each request; one that inserts together what arrives
 * during the previous insert, which is the most this machine's Node and Postgres can store; and one that then also posts each request to
 * Slack and marks together what was posted, which is the least that posting can cost.
 */
type Options = {
  readonly mode: 'answer' | 'insert' | 'batch' | 'relay';
  readonly databaseUrl: string;
  /** Only for `relay`. */
  readonly slackApiUrl: string;
};

const options: Options = JSON.parse(process.argv[2] ?? '{}');

/** The fields of a notification that are stored. */
type Body = {
  readonly Id: string;
  readonly SubscriptionId: number;
  readonly ExtraInformation: Readonly<Record<'User' | 'EventType' | 'Name' | 'Path', string>>;
};

const columns = `notification_id, subscription_id, service_subscription_id, team_id, channel_id, state, fingerprint, notification,
  received_at`;
const insertOne = `insert into bench_events (${columns}) values ($1, $2, $3, 'T', $4, 'pending', $5, $6, now())
  on conflict (subscription_id, notification_id) do nothing`;
const insertMany = `insert into bench_events (${columns})
  select id, subscription, record, 'T', channel, 'pending', id, notification, now()
  from unnest($1::text[], $2::uuid[], $3::bigint[], $4::text[], $5::jsonb[]) as t(id, subscription, record, channel, notification)
  on conflict (subscription_id, notification_id) do nothing`;
const markMany = `update bench_events as e set state = 'posted', posted_at = now()
  from unnest($1::uuid[], $2::text[]) as t(subscription, id)
  where e.subscription_id = t.subscription and e.notification_id = t.id`;

type Waiting = { readonly body: Body; readonly text: string; readonly done: (ok: boolean) => void };

const pool = new pg.Pool({ connectionString: options.databaseUrl, max: 10 });
const waiting: Waiting[] = [];
let inserting = false;

function subscriptionOf({ SubscriptionId }: Body): string {
  return `00000000-0000-4000-8000-${String(SubscriptionId).padStart(12, '0')}`;
}

function insert({ body, text, done }: Waiting): void {
  const { Id, SubscriptionId } = body;
  const values = [Id, subscriptionOf(body), SubscriptionId, `C${SubscriptionId}`, Id, text];
  pool.query({ name: 'one', text: insertOne, values }).then(
    () => done(true),
    () => done(false),
  );
}

async function insertTogether(): Promise<void> {
  inserting = true;
  await new Promise((resolve) => setImmediate(resolve));
  while (waiting.length > 0) {
    const batch = waiting.splice(0);
    const values = [
      batch.map(({ body }) => body.Id),
      batch.map(({ body }) => subscriptionOf(body)),
      batch.map(({ body }) => body.SubscriptionId),
      batch.map(({ body }) => `C${body.SubscriptionId}`),
      batch.map(({ text }) => text),
    ];
    const ok = await pool.query({ name: 'many', text: insertMany, values }).then(
      () => true,
      () => false,
    );
    for (const { done } of batch) done(ok);
    if (ok && options.mode === 'relay') for (const { body } of batch) post(body);
  }
  inserting = false;
}

const agent = new Agent({ keepAlive: true });
const posted: Body[] = [];
let marking = false;

function post(body: Body): void {
  const { User, EventType, Name, Path } = body.ExtraInformation;
  const text = `*${Name}*: ${EventType} by ${User}\n${Path}`;
  const blocks = JSON.stringify([{ type: 'section', text: { type: 'mrkdwn', text } }]);
  const fields = new URLSearchParams({ channel: `C${body.SubscriptionId}`, text, blocks }).toString();
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': Buffer.byteLength(fields),
    authorization: 'Bearer xoxb-bench',
  };
  request(`${options.slackApiUrl}chat.postMessage`, { method: 'POST', agent, headers }, (response) => {
    response.resume().on('end', () => {
      posted.push(body);
      if (!marking) void markTogether();
    });
  }).end(fields);
}

async function markTogether(): Promise<void> {
  marking = true;
  await new Promise((resolve) => setImmediate(resolve));
  while (posted.length > 0) {
    const batch = posted.splice(0);
    const values = [batch.map(subscriptionOf), batch.map(({ Id }) => Id)];
    await pool.query({ name: 'mark', text: markMany, values });
  }
  marking = false;
}

function store(request: Waiting): void {
  if (options.mode === 'answer') {
    request.done(true);
  } else if (options.mode === 'insert') {
    insert(request);
  } else {
    waiting.push(request);
    if (!inserting) void insertTogether();
  }
}

function answer(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': 2 }).end('{}');
}

function take(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const text = Buffer.concat(chunks).toString();
    const body: Body = JSON.parse(text);
    store({ body, text, done: (ok) => answer(response, ok ? 200 : 503) });
  });
}

process.on('disconnect', () => process.exit(0));
const server = createServer(take);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' && address !== null ? address.port : 0 });
});
