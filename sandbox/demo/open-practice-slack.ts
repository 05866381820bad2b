import { ServerResponse } from 'node:http';

/**
 * Preloaded into the bot: **Open Slack** on the bot's pages leads to the demo's page, because the real Slack knows nothing of the practice
 * workspace. The page's address is in the environment.
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
