import type { AppsManifestCreateArguments } from '@slack/web-api';
import { commands } from './commands.ts';
import { events, linkEvents } from './events.ts';
import { linkScopes, optionalScopes, requiredScopes } from './scopes.ts';
import { shortcuts } from './shortcuts.ts';

export type Manifest = AppsManifestCreateArguments['manifest'];

/** How to name the three short commands: with a prefix (may be empty), or `none` to leave them out. */
export type ShortCommands = { readonly prefix: string } | 'none';

type ManifestOptions = {
  /** Lets Slack's tokens expire after twelve hours. */
  readonly rotateTokens?: boolean | undefined;
  /** The hosts whose links are previewed; Slack sends the bot all links to them that people post. */
  readonly linkDomains?: readonly string[] | undefined;
};

/**
 * Returns the manifest of the Slack app for a bot reached at `url`, without a trailing slash. Slack sends everything to one route, and Bolt
 * dispatches it.
 */
export function buildManifest(
  url: string,
  short: ShortCommands,
  { rotateTokens = false, linkDomains = [] }: ManifestOptions = {},
): Manifest {
  const requestUrl = `${url}/slack/events`;
  const previews = linkDomains.length > 0;
  const optional = [...optionalScopes, ...(previews ? linkScopes : [])];
  return {
    _metadata: { major_version: 1, minor_version: 1 },
    display_information: {
      name: 'Plancast',
      description: 'Posts changes to your projects in Slack channels',
      long_description:
        'Plancast posts changes to projects, folders, files, sessions and session documents of the collaboration service in the' +
        ' channels you choose. Link your account once, type /plancast subscribe in a channel, and choose which events to post,' +
        ' from which folders, by whom, and whether immediately or as a digest. It reads no messages but those that mention it. It stores ids of' +
        ' workspaces, channels and people, and keeps the changes it posts for as long as its operator has set.',
      background_color: '#1d3b53',
    },
    features: {
      app_home: { home_tab_enabled: true, messages_tab_enabled: true, messages_tab_read_only_enabled: true },
      bot_user: { display_name: 'plancast', always_online: true },
      slash_commands: slashCommands(requestUrl, short),
      ...(previews ? { unfurl_domains: [...linkDomains] } : {}),
      shortcuts: Object.entries(shortcuts).map(([callbackId, row]) => ({
        name: row.name,
        type: row.type,
        callback_id: callbackId,
        description: row.description,
      })),
    },
    oauth_config: {
      redirect_urls: [`${url}/slack/oauth_redirect`],
      scopes: {
        // Slack requires every scope of bot_optional to be listed in bot as well.
        bot: [...requiredScopes, ...optional],
        bot_optional: optional,
      },
    },
    settings: {
      event_subscriptions: {
        request_url: requestUrl,
        bot_events: [...events, ...(previews ? linkEvents : [])],
      },
      interactivity: { is_enabled: true, request_url: requestUrl, message_menu_options_url: requestUrl },
      org_deploy_enabled: true,
      socket_mode_enabled: false,
      token_rotation_enabled: rotateTokens,
    },
  };
}

function slashCommands(url: string, short: ShortCommands) {
  const prefix = short === 'none' ? '' : short.prefix;
  return Object.entries(commands)
    .filter(([, row]) => short !== 'none' || !row.short)
    .map(([name, row]) => ({
      command: `/${row.short ? prefix : ''}${name}`,
      url,
      description: row.description,
      ...(row.usageHint === undefined ? {} : { usage_hint: row.usageHint }),
      // People and links then arrive as ids and addresses instead of their displayed text (Slack docs: slash commands).
      should_escape: true,
    }));
}
