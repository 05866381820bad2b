import { people, places } from '../seed.ts';

/** What is on a person's screen. All of it is in the page's address. */
export type LookingAt = {
  /** Id of the Slack user being played. */
  readonly user: string;
  /** Id of the channel shown. */
  readonly channel: string;
  /** In the direct messages with the bot: the Home tab or the messages. */
  readonly tab: 'home' | 'messages';
  /** Email of the service user being played. */
  readonly as: string;
  /** Key of the object at the service whose actions are shown; empty: none. */
  readonly open: string;
  /** Ids of the folders that show all their files. */
  readonly all: readonly string[];
  /** Whether the guide is shown. */
  readonly guide: boolean;
  /** Id of the scenario being tried in the guide; empty: none. */
  readonly chip: string;
  /** The half that a small screen shows. */
  readonly pane: 'slack' | 'service';
  /** What is shown beside Slack: the service itself, or faults and events. */
  readonly side: 'service' | 'events';
  /** How the table of events is sorted. */
  readonly sort: EventSort;
};

/** A column of the table of events; a leading `-` sorts in descending order. */
export type EventSort = (typeof eventSorts)[number];
export const eventSorts = ['-received', 'received', 'event', '-event', 'state', '-state'] as const;

/** The state of a first visit. */
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

/** Reads the query of the page's address; defaults are those of a first visit. */
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
