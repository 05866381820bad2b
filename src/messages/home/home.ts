import type { HomeView, KnownBlock } from '@slack/types';
import type { AnyRequest } from '../../core/model/any-request.ts';
import type { ShownLink } from '../../core/model/link.ts';
import { isDirect } from '../../core/model/people.ts';
import type { QuietHours } from '../../core/model/quiet-hours.ts';
import type { Request } from '../../core/model/request.ts';
import type { FeaturesOff } from '../../core/model/slack-access.ts';
import { dayMs, minuteMs } from '../../lib/durations.ts';
import { linkStatus } from '../linking/linking.ts';
import {
  type ListedSubscription,
  listRows,
  type Muted,
  mutedSection,
  quietButton,
  quietLine,
  rowsOfPage,
} from '../subscribing/lists.ts';
import { rowButtons } from '../subscribing/row-buttons.ts';
import { type Copy, conversationTitle, describeOff, describeTarget } from '../text/copy.ts';
import { actions, buttonRow, context, pageButtons, pageOf, requestButton, section } from '../text/message.ts';
import { header, homeTab } from '../text/modal.ts';
import {
  andMore,
  counted,
  inBold,
  link,
  type Phrase,
  plainly,
  say,
  strong,
  time,
  typed,
} from '../text/phrase.ts';

/** One of the person's subscriptions; `channelId` is null if they are not known to be in its channel. */
export type HomeRow = ListedSubscription & { readonly channelId: string | null };

/** How many of the muted items are listed: a Home tab has 100 blocks, and everything else takes at most 70. */
const mutedShown = 25;

/**
 * Makes the Home tab of a full member: their channels with the subscriptions of each, and their account, which is first while it needs something
 * from them. Rows of one channel must be next to each other. `channelsKnown`: whether Slack could say which channels they are in.
 */
export function homeView(home: {
  readonly link: ShownLink | null;
  readonly rows: readonly HomeRow[];
  /** What is muted in the channels of the page. */
  readonly muted?: readonly Muted[] | undefined;
  /** Set while the person's direct message with the bot is muted. */
  readonly mutedUntil?: Date | null | undefined;
  /** The quiet hours of the channels that are shown, by id. */
  readonly quiet?: ReadonlyMap<string, QuietHours | null> | undefined;
  readonly page: number;
  readonly channelsKnown: boolean;
  /** Whether to offer what admins can do to the whole workspace. */
  readonly admin: boolean;
  /** What is off in the workspace for lack of scopes, and where to install the bot again; null if unknown. */
  readonly off?: FeaturesOff | null | undefined;
  readonly copy: Copy;
}): HomeView {
  const { link, rows, muted = [], copy } = home;
  const { page, pages, from, to } = rowsOfPage(rows.length, home.page);
  const style = link?.state === 'active' ? 'primary' : undefined;
  const spokenAfter = say`, in a direct message`;
  const account = [header('Your account'), ...linkStatus(link, rows.length, copy).blocks];
  const isSetUp = link?.state === 'active' && rows.length > 0;
  const paging = { page, pages, of: 'your subscriptions' };
  const steps = link === null || rows.length === 0 ? stepBlocks(link, copy) : [];
  return homeTab(String(page), [
    ...(isSetUp ? [] : [...account, ...steps, { type: 'divider' } as const]),
    header('Your subscriptions'),
    section([introduction(rows.length, page, pages)]),
    actions([
      requestButton('Subscribe a channel', { act: 'open-form-anywhere' }, { style }),
      requestButton('Subscribe just for me', { act: 'open-form', personal: true }, { spokenAfter }),
      requestButton('Catch me up', { act: 'catch-up' }, { spokenAfter: say` on your channels` }),
      requestButton('Help', { act: 'help' }),
    ]),
    ...(home.channelsKnown || rows.length === 0 ? [] : [context(channelsUnknown)]),
    ...[...Map.groupBy(rows.slice(from, to), ({ channelId }) => channelId)].flatMap(([channelId, inIt]) =>
      channelBlocks(channelId, inIt, page, home),
    ),
    ...mutedSection(muted.slice(0, mutedShown), 'Not shown in these channels', `home:${page}`),
    ...andMore(muted.length - mutedShown).map((more) =>
      context(say`${more} with ${typed(copy.commands.subscriptions)} in the channel`),
    ),
    ...buttonRow(pageButtons((there) => ({ act: 'home', page: there }), paging)),
    ...(isSetUp ? [{ type: 'divider' } as const, ...account] : []),
    ...(home.admin ? workspaceBlocks(home.off ?? null) : []),
  ]);
}

/** Makes the Home tab of a guest or of a person from another organization. */
export const homeRefusal = homeTab('0', [
  section([
    say`You can read what I post in the channels you’re in.`,
    say`Only full members of the workspace that installed me can link an account and subscribe.`,
  ]),
]);

function stepBlocks(link: ShownLink | null, { serviceName, commands }: Copy): KnownBlock[] {
  const service = plainly(serviceName);
  return [
    section([
      say`When people add, change or delete something at ${service}, I post it in your Slack channels.`,
      link === null
        ? say`1. Press ${strong('Link')} and sign in at ${service}, once.`
        : say`1. Link your account at ${service}: done.`,
      say`2. In a channel, type ${typed(commands.subscribe)}, or press ${strong('Subscribe a channel')} here.`,
      say`3. Paste a link to a project or session. Its changes then appear in the channel.`,
    ]),
  ];
}

function introduction(count: number, page: number, pages: number): Phrase {
  if (count === 0) return say`You have no subscriptions yet. The ones you add will be listed here.`;
  return say`You have ${counted(count, 'subscription')}${pageOf(page, pages)}`;
}

const channelsUnknown = say`I couldn’t get your channels from Slack, so none are shown. Open this tab again in a minute.`;

function channelBlocks(
  channelId: string | null,
  rows: readonly HomeRow[],
  page: number,
  { mutedUntil = null, quiet }: Pick<Parameters<typeof homeView>[0], 'mutedUntil' | 'quiet'>,
): KnownBlock[] {
  if (channelId === null) {
    return [
      { type: 'divider' },
      section([inBold(say`In a channel I can’t show you`)]),
      ...listRows(rows, () => null),
    ];
  }
  const isOwn = isDirect(channelId);
  const hours = quiet?.get(channelId) ?? null;
  const request = { act: 'in-channel', channelId, request: { act: 'quiet' } } as const;
  const where = rows
    .slice(0, 1)
    .flatMap(({ subscribed }) => say` where I post ${describeTarget(subscribed)}`);
  return [
    { type: 'divider' },
    section([inBold(conversationTitle(channelId)), ...quietLine(hours)], quietButton(hours, request, where)),
    ...(isOwn ? directMessageBlocks(channelId, mutedUntil) : []),
    ...listRows(rows, (row) => rowButtons(row, `home:${page}`)),
  ];
}

/** Makes what can be done about the direct message as a whole: no command can be typed in it. */
function directMessageBlocks(channelId: string, mutedUntil: Date | null): KnownBlock[] {
  const spokenAfter = say` your direct messages with me`;
  const text = say`I’ll post a summary when the mute ends.`;
  const confirm = { title: 'Mute for a day?', text, yes: 'Mute', style: 'primary' } as const;
  const there = (request: Request): AnyRequest => ({ act: 'in-channel', channelId, request });
  return [
    ...(mutedUntil === null ? [] : [context(say`🔕 Muted until ${time(mutedUntil)}`)]),
    actions([
      mutedUntil === null
        ? requestButton('Mute', there({ act: 'mute', minutes: dayMs / minuteMs }), { spokenAfter, confirm })
        : requestButton('Unmute', there({ act: 'unmute' }), { spokenAfter }),
      requestButton('Settings', { act: 'settings' }, { spokenAfter: say` of this workspace` }),
    ]),
  ];
}

/** Makes the buttons for what admins can do to the whole workspace. */
function workspaceBlocks(off: FeaturesOff | null): KnownBlock[] {
  return [
    { type: 'divider' },
    header('This workspace'),
    section([say`You’re an admin, so you can manage what Plancast posts in all channels.`]),
    actions([
      requestButton('All subscriptions', { act: 'workspace' }),
      requestButton('Audit log', { act: 'audit' }),
      requestButton('Settings', { act: 'settings' }),
      requestButton('Import', { act: 'import' }),
      requestButton('Remove data', { act: 'remove-data' }),
    ]),
    ...(off === null || off.features.length === 0
      ? []
      : [context(say`${describeOff(off)} ${link('Install Plancast again', off.installUrl)} to grant them.`)]),
  ];
}
