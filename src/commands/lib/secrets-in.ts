import type { Env } from '../../env.ts';

/** Lists every secret setting, so that the log can redact it. Keys are listed in both alphabets of base64. */
export function secretsIn({ database, slack, service }: Env): string[] {
  const { access } = slack;
  return [
    ...(database.url === undefined ? [] : [database.url]),
    ...(database.tokenKeys ?? []).flatMap(({ secret }) => {
      const bytes = Buffer.from(secret);
      return [bytes.toString('base64'), bytes.toString('base64url')];
    }),
    slack.signingSecret,
    access.kind === 'installed' ? access.clientSecret : access.botToken,
    service.clientSecret,
  ];
}
