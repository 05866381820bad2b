import { people, places } from '../seed.ts';

/** What is on a person's screen. All of it is in the address of the page. */
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
  /** Whether the guide is shown. */
  readonly guide: boolean;
  /** Id of what is being tried in the guide; empty: nothing. */
  readonly chip: string;
  /** Which half a small screen shows. */
  readonly pane: 'slack' | 'service';
  /** What is shown beside Slack: the service itself, or faults and events. */
  readonly side: 'service' | 'events';
  /** How the table of events is sorted. */
  readonly sort: EventSort;
};

/** A column of the table of events; a leading `-` sorts it downwards. */
export type EventSort = (typeof eventSorts)[number];
export const eventSorts = ['-received', 'received', 'event', '-event', 'state', '-state'] as const;

/** Where a first visit begins. */
export const firstLook: LookingAt = {
  user: people.dana,
  channel: places.plans,
  tab: 'messages',
  as: 'dana@example.com',
  open: '',
  all: [],
  guide: true,
  chip: '',
  pane: 'slack',
  side: 'service',
  sort: '-received',
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
    chip: query.get('chip') ?? firstLook.chip,
    pane: query.get('pane') === 'service' ? 'service' : 'slack',
    side: query.get('side') === 'events' ? 'events' : 'service',
    sort: eventSorts.find((sort) => sort === query.get('sort')) ?? firstLook.sort,
  };
}
