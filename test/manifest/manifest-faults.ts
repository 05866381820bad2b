import { z } from 'zod';

/** Slack: a URL in a manifest begins with http, and its maximum length depends on the field. */
const address = (longest: number) =>
  z
    .string()
    .regex(/^https?:\/\//)
    .max(longest);
const line = (most: number, least = 1) => z.string().min(least).max(most);

/**
 * What Slack accepts in the parts of a manifest that this bot uses (Slack: manifest schema 0.5.0, major version 1). Slack rejects unknown
 * keys everywhere.
 */
const manifest = z.strictObject({
  _metadata: z.strictObject({ major_version: z.literal(1), minor_version: z.int() }),
  display_information: z.strictObject({
    name: line(35),
    description: line(140),
    long_description: line(4000, 175),
    background_color: z.string().regex(/^#[0-9a-fA-F]{3}([0-9a-fA-F]{3})?$/),
  }),
  features: z.strictObject({
    app_home: z.strictObject({
      home_tab_enabled: z.boolean(),
      messages_tab_enabled: z.boolean(),
      messages_tab_read_only_enabled: z.boolean(),
    }),
    bot_user: z.strictObject({
      display_name: z.string().regex(/^[a-z0-9._-]{1,80}$/),
      always_online: z.boolean(),
    }),
    slash_commands: z
      .array(
        z.strictObject({
          command: z.string().regex(/^\/[^\s/]{1,31}$/),
          url: address(3000),
          description: line(2000),
          usage_hint: line(1000).optional(),
          should_escape: z.boolean(),
        }),
      )
      .min(1)
      .max(50),
    unfurl_domains: z
      .array(line(255).regex(/^[a-z0-9.-]+$/))
      .min(1)
      .max(5)
      .optional(),
    shortcuts: z
      .array(
        z.strictObject({
          name: line(24),
          type: z.enum(['message', 'global']),
          callback_id: line(255),
          description: line(150),
        }),
      )
      .min(1)
      .max(10),
  }),
  oauth_config: z.strictObject({
    redirect_urls: z.array(address(2500)).max(1000),
    scopes: z
      .strictObject({ bot: z.array(line(50)).max(255), bot_optional: z.array(line(50)).max(255) })
      .refine(({ bot, bot_optional: optional }) => optional.every((scope) => bot.includes(scope))),
  }),
  settings: z.strictObject({
    event_subscriptions: z.strictObject({
      request_url: address(3500),
      bot_events: z.array(line(255)).max(100),
    }),
    interactivity: z.strictObject({
      is_enabled: z.boolean(),
      request_url: address(3500),
      message_menu_options_url: address(3500),
    }),
    org_deploy_enabled: z.boolean(),
    socket_mode_enabled: z.boolean(),
    token_rotation_enabled: z.boolean(),
  }),
});

/** Returns one line for each fault for which Slack would reject a manifest; empty if Slack would accept it. */
export function manifestFaults(candidate: unknown): string[] {
  const issues = manifest.safeParse(candidate).error?.issues ?? [];
  return issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}
