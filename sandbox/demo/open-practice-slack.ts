import { ServerResponse } from 'node:http';

/**
 * Loaded into the bot before its own program: **Open Slack** on the bot's pages leads to the demo's page, which is the practice Slack,
 * since the real one knows nothing of it. The page's address is in the environment.
 */
const page = process.env.PRACTICE_SLACK_PAGE ?? '';
const end = ServerResponse.prototype.end;

ServerResponse.prototype.end = function (this: ServerResponse, ...parts: unknown[]) {
  const [body, ...rest] = parts;
  const isPage = String(this.getHeader('content-type')).startsWith('text/html');
  if (!isPage || this.headersSent || !(typeof body === 'string' || Buffer.isBuffer(body)))
    return Reflect.apply(end, this, parts);
  const led = String(body).replaceAll(
    /href="(?:slack:\/\/|https:\/\/app\.slack\.com\/client)[^"]*"/g,
    `href="${page}/?back"`,
  );
  this.setHeader('content-length', Buffer.byteLength(led));
  return Reflect.apply(end, this, [led, ...rest]);
} as typeof end;
