import { WebClient } from '@slack/web-api';
import express from 'express';

/**
 * A yardstick, the bot that a developer writes in an afternoon: Express and `@slack/web-api` with default settings, a table of addresses in
 * memory, and a message posted before the notification is answered. It stores nothing.
 */
const options: {
  readonly slackApiUrl: string;
  readonly channels: readonly (readonly [token: string, channelId: string])[];
} = JSON.parse(process.argv[2] ?? '{}');

const channels = new Map(options.channels);
const slack = new WebClient('xoxb-bench', { slackApiUrl: options.slackApiUrl });
const app = express();
app.use(express.json());

app.post('/notifications/:token', async (request, response) => {
  const channel = channels.get(request.params.token);
  if (channel === undefined) return void response.sendStatus(404);
  const { User, EventType, Name, Path } = request.body.ExtraInformation;
  const text = `*${Name}*: ${EventType} by ${User}\n${Path}`;
  const section = { type: 'section' as const, text: { type: 'mrkdwn' as const, text } };
  await slack.chat.postMessage({ channel, text, blocks: [section] });
  response.json({});
});

process.on('disconnect', () => process.exit(0));
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' && address !== null ? address.port : 0 });
});
