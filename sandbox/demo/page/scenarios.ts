import { people, places } from '../seed.ts';
import { type PageAct, pageButton } from './act.ts';
import { type Facts, harbourTower, isFollowed, tallyOf, towerOf } from './facts.ts';
import { type Html, html } from './html.ts';
import { count, renderTally } from './tally.ts';

/** One step of a scenario. */
export type ScenarioStep = { readonly done: boolean; readonly text: Html };

/** The groups of scenarios, in the order they are offered. */
export const scenarioGroups = ['Every day', 'People', 'When things break'] as const;
export type ScenarioGroup = (typeof scenarioGroups)[number];

/** A guided scenario. */
export type Scenario = {
  readonly id: string;
  /** The label of its chip. */
  readonly title: string;
  /** The group of its chip. */
  readonly group: ScenarioGroup;
  readonly about: string;
  /** The channel and the person it starts with. */
  readonly channel: string;
  readonly user: string;
  /** Other channels in which its commands are sent. */
  readonly also?: readonly string[];
  readonly steps: (facts: Facts) => readonly ScenarioStep[];
  /** Renders the result. */
  readonly result?: (facts: Facts) => Html | undefined;
};

type Line = { readonly channel: string; readonly user: string; readonly line: string };

const dana = 'dana@example.com';
const followTower = `/subscribe project ${harbourTower}`;
/** Says what to follow as people would type it: by its name, once the service has sent it in the first steps. */
const tower = (facts: Facts) =>
  `/subscribe ${isDone(facts, 'first') ? 'Harbour Tower' : `project ${harbourTower}`}`;
const riversideSchool = '538-204-917';
const quayBridge = '660-118-342';
const levelOneSession = '845-902-113';
const facadeReview = '731-450-286';
const { plans, digest, level1, threads, shared, facade } = places;

/** Returns a step whose button sends a command; disabled while `isEarly`, because there is nothing to do it to yet. */
export function send(
  { channel, user, line }: Line,
  before: Html | string = 'Send',
  isEarly = false,
): (facts: Facts) => ScenarioStep {
  const act = { look: here({ channel, user }), say: line };
  const button = pageButton(html`<code>${line}</code>`, act, { style: 'suggest', disabled: isEarly });
  return ({ happened }) => ({
    done: happened.said.has(`${user} ${channel} ${line}`),
    text: html`${before} ${button}`,
  });
}

/** Shows Slack as this person, in this channel. */
function here({ channel, user }: Pick<Line, 'channel' | 'user'>): NonNullable<PageAct['look']> {
  return { channel, user, tab: '', pane: '' };
}

/**
 * Returns the steps needed before changes of a project can be posted: the command, and linking if Dana is not linked yet. `anyhow`: whether a
 * subscription with other settings will do.
 */
function follow(
  facts: Facts,
  line: Line,
  { anyhow = false }: { readonly anyhow?: boolean } = {},
): readonly ScenarioStep[] {
  const sending = send(line)(facts);
  const linking = {
    done: false,
    text: html`Press <i>Link</i> in the answer, allow it as Dana Reyes, then press <i>Open Slack</i>.`,
  };
  const done = sending.done || (anyhow && isFollowed(facts, line.channel));
  return [{ ...sending, done }, ...(facts.happened.linked.has(dana) ? [] : [linking])];
}

/** Returns the same for #plans, as the first steps leave it. */
const followPlans = (facts: Facts) => follow(facts, firstCommand, { anyhow: true });

const inPlans = (line: string): Line => ({ channel: plans, user: people.dana, line });
export const firstCommand = inPlans(followTower);

/** Actions, counted under a name. */
type Doing = {
  readonly name: string;
  readonly channel: string;
  readonly actions: readonly Readonly<Record<string, unknown>>[];
  readonly everyMs?: number;
  readonly killAfter?: number;
};

/** Renders a button for actions at the service; disabled until the project is followed, because nothing would be posted. */
function doing(facts: Facts, label: string, doings: Doing): Html {
  const act: PageAct = { demo: { act: 'run', body: { ...doings, as: dana } } };
  return pageButton(label, act, { disabled: !isFollowed(facts, doings.channel) });
}

const project = harbourTower;
const createFile = (name: string, parent: string) => ({ action: 'create-file', project, parent, name });

/** Returns a file name that does not exist yet. */
function newName(facts: Facts, stem: string): string {
  const tree = JSON.stringify(towerOf(facts)?.tree ?? '');
  let at = 1;
  while (tree.includes(`"${stem} ${at}.pdf"`)) at += 1;
  return `${stem} ${at}.pdf`;
}

/** Returns the path of a file to delete: one of the first in a folder to which each run adds as many. */
function fileIn(facts: Facts, folder: string, index = 0): string {
  const children = towerOf(facts)?.tree.children ?? [];
  return `${folder}/${children.find(({ name }) => name === folder)?.children[index]?.name ?? ''}`;
}

const tallied =
  (name: string) =>
  (facts: Facts): Html | undefined => {
    const tally = tallyOf(facts, name);
    return tally && renderTally(tally);
  };

const isDone = (facts: Facts, name: string): boolean => (tallyOf(facts, name)?.made ?? 0) > 0;

type Setting = { readonly label: string; readonly text: string; readonly wanted: Partial<Facts['faults']> };

/** Returns a step that sets or clears a fault; it stays done once what follows `isOver`. */
function setFault({ label, text, wanted }: Setting, facts: Facts, isOver = false): ScenarioStep {
  const button = pageButton(label, { demo: { act: 'faults', body: wanted } });
  const isSet = Object.entries(wanted).every(
    ([name, value]) => facts.faults[name as keyof typeof facts.faults] === value,
  );
  return { done: isSet || isOver, text: html`${text} ${button}` };
}

const burst: Scenario = {
  id: 'burst',
  title: 'A burst of 2,000',
  group: 'Every day',
  about: 'Dana uploads 2,000 photos at once. The channel stays readable, and nothing is dropped.',
  channel: plans,
  user: people.dana,
  steps: (facts) => [
    ...followPlans(facts),
    {
      done: isDone(facts, 'burst'),
      text: html`Upload 2,000 photos to <i>Site photos</i>. ${doing(facts, 'Upload 2,000', {
        name: 'burst',
        channel: plans,
        actions: [
          {
            action: 'add-files',
            project,
            parent: 'Site photos',
            count: 2000,
            prefix: 'Photo',
            extension: 'jpg',
          },
        ],
      })}`,
    },
  ],
  result: tallied('burst'),
};

const dailyDigest: Scenario = {
  id: 'digest',
  title: 'A daily digest',
  group: 'Every day',
  about: 'One message each morning instead of one for every change.',
  channel: digest,
  user: people.dana,
  steps(facts) {
    const tally = tallyOf(facts, 'digest');
    return [
      ...follow(facts, {
        channel: digest,
        user: people.dana,
        line: `${tower(facts)} digest daily 9:00 threads off`,
      }),
      {
        done: isDone(facts, 'digest'),
        text: html`Make five changes. They wait for the morning. ${doing(facts, 'Make changes', {
          name: 'digest',
          channel: digest,
          actions: [
            createFile(newName(facts, 'A-110 Section'), 'Plans/Level 1'),
            createFile(newName(facts, 'A-210 Section'), 'Plans/Level 2'),
            createFile(newName(facts, 'Stair detail'), 'Details'),
            { action: 'check-in', project, item: 'Plans/Level 2/A-201 Floor plan.pdf' },
            { action: 'delete-item', project, item: fileIn(facts, 'Details') },
          ],
        })}`,
      },
      {
        done: tally !== undefined && tally.made > 0 && tally.waiting === 0,
        text: html`Turn the clock to the next morning. ${pageButton('Skip to 9:00', {
          demo: { act: 'clock', body: { until: '9:00', zone: facts.zone } },
        })}`,
      },
    ];
  },
  result: tallied('digest'),
};

const filter: Scenario = {
  id: 'filter',
  title: 'Only one folder',
  group: 'Every day',
  about: 'This channel gets changes in Level 1 only. What is filtered out is counted, with the reason.',
  channel: level1,
  user: people.dana,
  steps: (facts) => [
    ...follow(facts, { channel: level1, user: people.dana, line: `${tower(facts)} in "Plans/Level 1" live` }),
    {
      done: isDone(facts, 'filter'),
      text: html`Add a file to <i>Level 1</i>, and one to <i>Details</i>. ${doing(facts, 'Add both', {
        name: 'filter',
        channel: level1,
        actions: [
          createFile(newName(facts, 'A-120 Kitchen'), 'Plans/Level 1'),
          createFile(newName(facts, 'Railing detail'), 'Details'),
        ],
      })}`,
    },
    {
      done: isDone(facts, 'filter') && facts.side === 'events',
      text: html`See why one was filtered. ${pageButton('Show the events', {
        look: { side: 'events', pane: 'service' },
      })}`,
    },
  ],
  result: tallied('filter'),
};

const inThreads: Scenario = {
  id: 'threads',
  title: 'Threads',
  group: 'Every day',
  about: 'The first message about a drawing goes to the channel; later ones go to its thread.',
  channel: threads,
  user: people.dana,
  steps(facts) {
    const name = newName(facts, 'A-130 Elevation');
    const item = `Plans/Level 2/${name}`;
    return [
      ...follow(facts, { channel: threads, user: people.dana, line: `${tower(facts)} threads on live` }),
      {
        done: isDone(facts, 'threads'),
        text: html`Add a drawing, then check in two versions of it. ${doing(facts, 'Add and check in', {
          name: 'threads',
          channel: threads,
          everyMs: 1_500,
          actions: [
            createFile(name, 'Plans/Level 2'),
            { action: 'check-in', project, item },
            { action: 'check-in', project, item },
          ],
        })}`,
      },
    ];
  },
  result: tallied('threads'),
};

const otherMail: Scenario = {
  id: 'code',
  title: 'Two email addresses',
  group: 'People',
  about: 'Lee’s email in Slack isn’t the one at the service. A code proves that both are Lee’s.',
  channel: facade,
  user: people.lee,
  steps: (facts) => [
    send(
      { channel: facade, user: people.lee, line: `/subscribe session ${facadeReview}` },
      'As Lee Park, send',
    )(facts),
    {
      done: facts.happened.linked.has('lee@example.com'),
      text: html`Press <i>Link</i> in the answer and allow it as Lee Park. That page shows a code.`,
    },
    {
      done: facts.service.subscriptions.some(({ user }) => user === 'lee@example.com'),
      text: html`Back in this tab, press <i>Enter code</i> and type the code. The command from the first step then runs automatically.`,
    },
  ],
};

const undo: Scenario = {
  id: 'undo',
  title: 'Undo',
  group: 'Every day',
  about: 'Removed by mistake? It comes back with its settings.',
  channel: plans,
  user: people.dana,
  steps(facts) {
    const { said, subscribed } = facts.happened;
    const removal = `/unsubscribe project ${harbourTower}`;
    const mine = subscribed.filter(({ resource }) => resource.includes(harbourTower));
    const removed = mine.findLastIndex(({ change }) => change === 'removed');
    const isBack =
      said.has(`${people.dana} ${plans} ${removal}`) && mine.slice(removed + 1).length > 0 && removed >= 0;
    return [
      ...followPlans(facts),
      send(inPlans(removal), 'Send', !isFollowed(facts, plans))(facts),
      { done: isBack, text: html`Press <i>Undo</i> in the answer.` },
    ];
  },
};

const why: Scenario = {
  id: 'why',
  title: 'Why?',
  group: 'Every day',
  about: 'The bot explains every message, and what happened to every event.',
  channel: plans,
  user: people.dana,
  steps: (facts) => [
    ...followPlans(facts),
    {
      done: isDone(facts, 'why'),
      text: html`Add a file. ${doing(facts, 'Add a file', {
        name: 'why',
        channel: plans,
        actions: [createFile(newName(facts, 'A-140 Roof'), 'Plans/Level 3')],
      })}`,
    },
    send(inPlans('/plancast why'), 'Ask:')(facts),
  ],
};

const recap: Scenario = {
  id: 'recap',
  title: 'What did I miss?',
  group: 'Every day',
  about: 'Sam was away for a day. A recap lists what changed, for Sam alone.',
  channel: plans,
  user: people.sam,
  steps: (facts) => [
    ...followPlans(facts),
    {
      done: isDone(facts, 'recap'),
      text: html`Change a few things as Dana. ${doing(facts, 'Make changes', {
        name: 'recap',
        channel: plans,
        actions: [
          { action: 'add-files', project, parent: 'Site photos', count: 12, prefix: 'Facade' },
          { action: 'check-in', project, item: 'Plans/Level 2/A-201 Floor plan.pdf' },
          { action: 'check-in', project, item: 'Plans/Level 2/A-201 Floor plan.pdf' },
          createFile(newName(facts, 'A-160 Plinth'), 'Details'),
        ],
      })}`,
    },
    send({ channel: plans, user: people.sam, line: '/plancast recap' }, 'As Sam Okafor, ask:')(facts),
    send(
      { channel: plans, user: people.sam, line: '/plancast recap A-201' },
      'Or ask about one drawing:',
    )(facts),
  ],
};

const postedLink: Scenario = {
  id: 'posted-link',
  title: 'A posted link',
  group: 'Every day',
  about:
    'Someone posts a link to a project. The preview says what it is, and has a button that subscribes the channel.',
  channel: facade,
  user: people.dana,
  steps(facts) {
    const link = `{page}/projects/${harbourTower}`;
    const act = { look: here({ channel: facade, user: people.dana }), say: link };
    const isPosted = [...facts.happened.said].some(
      (line) => line.startsWith(`${people.dana} ${facade} http`) && line.endsWith(`/${harbourTower}`),
    );
    return [
      ...followPlans(facts),
      {
        done: isPosted,
        text: html`${pageButton('Post a link to Harbour Tower', act, { style: 'suggest' })}`,
      },
      {
        done: isPosted && isFollowed(facts, facade),
        text: html`Press <i>Subscribe this channel</i> below it, then <i>Subscribe</i>.`,
      },
    ];
  },
};

const typo: Scenario = {
  id: 'typo',
  title: 'A typo',
  group: 'Every day',
  about: 'If a command is only partly understood, you see what would run before it does.',
  channel: facade,
  user: people.dana,
  steps(facts) {
    const line = `/subscribe project ${quayBridge} digset hourly thanks a lot`;
    return [
      ...(facts.happened.linked.has(dana) ? [] : followPlans(facts)),
      send({ channel: facade, user: people.dana, line })(facts),
      {
        done: facts.service.subscriptions.some(({ resource }) => resource.includes(quayBridge)),
        text: html`Check what was understood, and press <i>Run this</i>.`,
      },
    ];
  },
};

const limited: Scenario = {
  id: 'limited',
  title: 'Slack says wait',
  group: 'When things break',
  about: 'Slack takes about one message a second per channel, and answers the rest with 429: try later.',
  channel: plans,
  user: people.dana,
  steps: (facts) => [
    ...followPlans(facts),
    setFault(
      { label: 'Refuse', text: 'Make Slack refuse every second post.', wanted: { slack: 'limited' } },
      facts,
      isDone(facts, 'limited'),
    ),
    // Deletions are messages of their own; additions alone would join one message, of which Slack refuses little.
    {
      done: isDone(facts, 'limited'),
      text: html`Delete two files and add six, one after another. ${doing(facts, 'Make changes', {
        name: 'limited',
        channel: plans,
        everyMs: 600,
        actions: [0, 1].flatMap((index) => [
          { action: 'delete-item', project, item: fileIn(facts, 'Specifications', index) },
          ...Array.from({ length: 3 }, () => ({
            action: 'add-files',
            project,
            parent: 'Specifications',
            count: 1,
            prefix: 'Schedule',
          })),
        ]),
      })}`,
    },
    setFault({ label: 'Let it work', text: 'Make Slack work again.', wanted: { slack: 'works' } }, facts),
  ],
  result(facts) {
    const tally = tallyOf(facts, 'limited');
    return (
      tally &&
      html`<p>Slack has refused ${count(facts.happened.refusals, 'call')} so far.</p>${renderTally(tally)}`
    );
  },
};

const serviceDown: Scenario = {
  id: 'service-down',
  title: 'The service is down',
  group: 'When things break',
  about: 'A command sent while the service is down is finished later.',
  channel: facade,
  user: people.dana,
  steps(facts) {
    const line = { channel: facade, user: people.dana, line: `/subscribe project ${riversideSchool}` };
    const removing = { ...line, line: `/unsubscribe project ${riversideSchool}` };
    const isThere = facts.service.subscriptions.some(({ resource }) => resource.includes(riversideSchool));
    const wasRemoved = facts.happened.said.has(`${people.dana} ${facade} ${removing.line}`);
    const isLeft = isThere && !facts.happened.said.has(`${people.dana} ${facade} ${line.line}`);
    return [
      ...(isLeft || wasRemoved ? [send(removing, 'Remove what the last try left:')(facts)] : []),
      ...(facts.happened.linked.has(dana) ? [] : followPlans(facts)),
      setFault(
        { label: 'Take it down', text: 'Take the service down.', wanted: { service: 'down' } },
        facts,
        facts.happened.said.has(`${people.dana} ${facade} ${line.line}`),
      ),
      send(line)(facts),
      setFault(
        { label: 'Bring it back', text: 'Bring the service back.', wanted: { service: 'works' } },
        facts,
      ),
      {
        done: facts.service.subscriptions.some(({ resource }) => resource.includes(riversideSchool)),
        text: html`The bot finishes the command automatically, within a minute. ${pageButton(
          'Skip 1 minute',
          {
            demo: { act: 'clock', body: { ms: 60_000 } },
          },
        )}`,
      },
    ];
  },
};

const killed: Scenario = {
  id: 'kill',
  title: 'Kill the bot',
  group: 'When things break',
  about:
    'The bot is killed in the middle of an upload. What it accepted is in its database, and is posted after the restart.',
  channel: plans,
  user: people.dana,
  steps(facts) {
    const { isKilled } = facts.progress;
    return [
      ...followPlans(facts),
      {
        done: isDone(facts, 'kill'),
        text: html`Upload 600 files, and kill the bot partway through. ${doing(facts, 'Upload and kill', {
          name: 'kill',
          channel: plans,
          killAfter: 150,
          actions: [{ action: 'add-files', project, parent: 'Plans/Level 3', count: 600, prefix: 'Sheet' }],
        })}`,
      },
      {
        done: isDone(facts, 'kill') && !isKilled && facts.progress.isReady,
        text: html`Start the bot again. The service sends the rest. ${isKilled && pageButton('Start it again', { demo: { act: 'start', body: {} } })}`,
      },
    ];
  },
  result: tallied('kill'),
};

const whoMay: Scenario = {
  id: 'admin',
  title: 'Who may subscribe',
  group: 'People',
  about: 'An admin decides who may change what is posted. Everyone else can ask from within Slack.',
  channel: plans,
  user: people.ada,
  steps(facts) {
    const line = `/subscribe session ${levelOneSession}`;
    const asking = send({ channel: plans, user: people.sam, line }, 'As Sam Okafor, send')(facts);
    const isLinked = facts.happened.linked.has('sam@example.com');
    const isThere = facts.service.subscriptions.some(
      ({ user, resource }) => user === 'sam@example.com' && resource.includes(levelOneSession),
    );
    const messagesOf = (user: 'ada' | 'sam', label: string): Html =>
      pageButton(label, { look: here({ user: people[user], channel: places[user] }) });
    return [
      send(
        { channel: plans, user: people.ada, line: '/plancast settings' },
        'As Ada Lind, the admin, send',
      )(facts),
      { done: asking.done, text: html`Choose admins only, and save.` },
      asking,
      {
        done: isThere || (!isLinked && facts.happened.announced.has(places.sam)),
        text: html`Press <i>Ask an admin</i>. Ada reads the question ${messagesOf('ada', 'in her messages')} and allows it. This setting applies to the other examples, too.`,
      },
      ...(isLinked
        ? []
        : [
            {
              done: false,
              text: html`Sam reads the answer ${messagesOf('sam', 'in his messages')} and presses <i>Link</i>. The command then runs automatically.`,
            },
          ]),
    ];
  },
};

const guests: Scenario = {
  id: 'guests',
  title: 'Guests and partners',
  group: 'People',
  about:
    'A guest can’t change anything. In a channel shared with another organization, names and paths are shortened.',
  channel: plans,
  also: [shared],
  user: people.gina,
  steps: (facts) => [
    send({ channel: plans, user: people.gina, line: followTower }, 'As Gina Sol, a guest, send')(facts),
    send(
      { channel: shared, user: people.dana, line: followTower },
      'As Dana Reyes, in a channel with Stan Ito of another organization, send',
    )(facts),
    {
      done: facts.happened.announced.has(shared),
      text: html`The bot asks first. Press <i>Subscribe anyway</i>.`,
    },
    {
      done: isDone(facts, 'guests'),
      text: html`Add a file, and read it there. ${doing(facts, 'Add a file', {
        name: 'guests',
        channel: shared,
        actions: [createFile(newName(facts, 'A-150 Lobby'), 'Plans/Level 1')],
      })}`,
    },
    send(
      { channel: shared, user: people.stan, line: `/unsubscribe project ${harbourTower}` },
      'As Stan Ito, who reads it too, send',
    )(facts),
  ],
  result: tallied('guests'),
};

/** All scenarios, in the order of their chips. */
export const scenarios: readonly Scenario[] = [
  burst,
  dailyDigest,
  filter,
  inThreads,
  recap,
  undo,
  why,
  postedLink,
  typo,
  otherMail,
  guests,
  whoMay,
  killed,
  limited,
  serviceDown,
];
