/** What somebody has on the screen. It is all in the address of the page. */
export type LookingAt = {
  /** Id of the Slack user they play. */
  readonly user: string;
  /** Id of the channel shown. */
  readonly channel: string;
  /** In the direct messages with the bot: its Home tab in place of them. */
  readonly tab: 'home' | 'messages';
  /** E-mail of the service user they play. */
  readonly as: string;
  /** Key of the thing at the service whose actions are shown; empty: none. */
  readonly open: string;
  /** Ids of folders of which all files are shown, however many. */
  readonly all: readonly string[];
  /** Whether the introduction was put away. */
  readonly guide: boolean;
};

/** Where a first visit begins. */
export const firstLook: LookingAt = {
  user: 'U0DANA00001',
  channel: 'C0PLANS0001',
  tab: 'messages',
  as: 'dana@example.com',
  open: '',
  all: [],
  guide: true,
};

/** Reads the query of the page's address; what is missing is as at a first visit. */
export function readLookingAt(query: URLSearchParams): LookingAt {
  return {
    user: query.get('user') ?? firstLook.user,
    channel: query.get('channel') ?? firstLook.channel,
    tab: query.get('tab') === 'home' ? 'home' : 'messages',
    as: query.get('as') ?? firstLook.as,
    open: query.get('open') ?? firstLook.open,
    all: (query.get('all') ?? '').split(',').filter((id) => id !== ''),
    guide: query.get('guide') !== 'away',
  };
}
