import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { User } from '../../sandbox/slack/directory.ts';
import { findElements, labelOf } from '../../sandbox/slack/find-elements.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';
import { deliver, lookFromOutside, notificationFor, type Outside, until } from './outside.ts';

let stage: Stage;
let outside: Outside;
let dana: User;
beforeAll(async () => {
  stage = await setStage({ name: 'what people type', skipsPauses: true });
  outside = lookFromOutside(stage);
});
afterAll(async () => {
  await outside.close();
  await stage.close();
});

/** Commands are rate limited by person and minute, so each group of tests has a person of its own. */
function asNewDana(): void {
  beforeAll(async () => {
    dana = await outside.member({ account: 'dana@example.com', realName: 'Dana Reyes' });
  });
}

const project = '412-873-550';
const session = '731-450-286';
const itemId = (path: string) => {
  const { data } = stage.service;
  return data.item(data.project(project), path).id;
};
const documentId = (name: string) => {
  const { data } = stage.service;
  return data.document(data.session(session), name).id;
};
/** The form fields of the newest create request that succeeded, and whether it was a comprehensive one. */
const created = () => {
  const request = stage.service.log
    .of('request')
    .findLast(
      ({ method, path, status }) => method === 'POST' && /subscriptions/.test(path) && status === 200,
    );
  const { Uri: _uri, ...fields } = request?.form ?? {};
  return { comprehensive: request?.path.endsWith('/comprehensive'), ...fields };
};
const textOf = (message: Parameters<Stage['slack']['textOf']>[0]) => stage.slack.textOf(message);

describe('what to subscribe to', () => {
  asNewDana();

  test.each([
    [
      `/subscribe project ${project}`,
      () => ({ comprehensive: true, ParentResourceType: 'Projects', ProjectId: project }),
    ],
    [
      `/subscribe project ${project} itself`,
      () => ({ comprehensive: false, ParentResourceType: 'Projects', ProjectId: project }),
    ],
    [
      `/subscribe folder ${project} {Plans} itself`,
      () => ({ ParentResourceType: 'ProjectItems', ProjectId: project, ProjectItemId: itemId('Plans') }),
    ],
    [
      `/subscribe folder ${project} {Plans}`,
      () => ({ comprehensive: true, ParentResourceType: 'Projects', ProjectId: project }),
    ],
    [
      `/subscribe file ${project} {Details/D-01 Stair.pdf}`,
      () => ({ comprehensive: true, ParentResourceType: 'Projects', ProjectId: project }),
    ],
    [
      `/subscribe file ${project} {Details/D-01 Stair.pdf} itself`,
      () => ({
        comprehensive: false,
        ParentResourceType: 'ProjectItems',
        ProjectId: project,
        ProjectItemId: itemId('Details/D-01 Stair.pdf'),
      }),
    ],
    [
      `/subscribe session ${session}`,
      () => ({ comprehensive: true, ParentResourceType: 'Sessions', SessionId: session }),
    ],
    [
      `/subscribe session ${session} itself`,
      () => ({ comprehensive: false, ParentResourceType: 'Sessions', SessionId: session }),
    ],
    [
      `/subscribe document ${session} [Curtain wall.pdf]`,
      () => ({ comprehensive: false, SessionId: session, SessionDocumentId: documentId('Curtain wall.pdf') }),
    ],
  ])('Dana types "%s", and the service is asked for exactly that', async (line, wanted) => {
    const channel = outside.channel();
    const typed = line
      .replace(/\{(.*)\}/, (_, path: string) => itemId(path))
      .replace(/\[(.*)\]/, (_, name: string) => documentId(name));
    const message = await outside.announced(dana, typed, {
      channel,
      wanted: /Dana Reyes added .* to this channel/,
    });
    expect(created()).toMatchObject(wanted());
    expect(textOf(message)).toContain(line.split(' ')[2]);
    const little = 'The service reports only the deletion of a single document. Posting deleted.';
    expect(textOf(message).includes(little)).toBe(line.includes('document'));
  });

  test('a folder is requested as a folder and a file as a file', async () => {
    const [folder, file] = [outside.channel(), outside.channel()];
    await outside.announced(dana, `/subscribe folder ${project} ${itemId('Details')} itself`, {
      channel: folder,
    });
    expect(String(Reflect.get(created(), 'ItemType')).toLowerCase()).toBe('folder');
    await outside.announced(dana, `/subscribe file ${project} ${itemId('Details/D-01 Stair.pdf')} itself`, {
      channel: file,
    });
    expect(String(Reflect.get(created(), 'ItemType')).toLowerCase()).toBe('file');
  });

  /** Adds a project that nobody follows yet: for others, nobody is asked what they are. */
  const newProject = (id: string) =>
    stage.service.act('dana@example.com', { action: 'create-project', name: `Project ${id}`, id });

  test('/subscribe with only an id asks "project or session?" privately, and the answer subscribes', async () => {
    const unknown = '640-100-200';
    newProject(unknown);
    const channel = outside.channel();
    const question = await outside.ask(dana, `/subscribe ${unknown}`, {
      channel,
      wanted: /project.*session/is,
    });
    expect(textOf(question)).toContain(unknown);
    expect(stage.slack.messages(channel)).toEqual([]);
    await stage.slack.click({
      user: dana,
      message: question,
      element: stage.slack.button(question, 'A project'),
    });
    await stage.slack.waitForMessage(channel, `project ${unknown}`);
    expect(created()).toMatchObject({ ParentResourceType: 'Projects', ProjectId: unknown });

    const meeting = '640-100-201';
    stage.service.act('dana@example.com', { action: 'create-session', name: 'Meeting', id: meeting });
    const other = outside.channel();
    const again = await outside.ask(dana, `/subscribe ${meeting} itself only update`, { channel: other });
    await stage.slack.click({
      user: dana,
      message: again,
      element: stage.slack.button(again, 'A session'),
    });
    await stage.slack.waitForMessage(other, `session ${meeting}`);
    expect(created()).toMatchObject({
      comprehensive: false,
      ParentResourceType: 'Sessions',
      SessionId: meeting,
    });
  });

  test.each([
    ['https://studio.example/open/640-100-202', 'hyphens in the path', '640-100-202'],
    ['https://studio.example/open/640100203/files?tab=2&x=1', 'digits and a query', '640-100-203'],
    ['https://studio.example/?id=640100204', 'in the query', '640-100-204'],
  ])('any link that contains a 9-digit id works like the id: %s (%s)', async (url, _where, id) => {
    newProject(id);
    const question = await outside.ask(dana, `/subscribe ${url}`, { channel: outside.channel() });
    expect(textOf(question)).toMatch(/project.*session/is);
    expect(textOf(question)).toContain(id);
    const channel = outside.channel();
    const announced = await outside.announced(dana, `/subscribe project ${url}`, { channel });
    expect(textOf(announced)).toMatch(new RegExp(`added.*${id}`, 's'));
  });
});

describe('ids', () => {
  asNewDana();

  test.each(['412873550', '412-873-550', '412 873 550', '4128-73550'])(
    'an id typed as %s is shown and sent as three groups joined by hyphens',
    async (written) => {
      const channel = outside.channel();
      const message = await outside.announced(dana, `/subscribe project ${written}`, { channel });
      expect(textOf(message)).toContain(project);
      expect(created()).toMatchObject({ ProjectId: project });
    },
  );

  test.each([
    ['/subscribe', 'project 412-873-550 in “Plans/**”', 'smart quotes'],
    ['/subscribe', 'project\u00a0412\u00a0873\u00a0550 in "Plans/**"', 'no-break spaces'],
    ['/subscribe', '`project 412-873-550` in `Plans/**`', 'stray backticks'],
    ['/subscribe', 'project <https://studio.example/p/412873550|412-873-550> in "Plans/**"', 'link markup'],
    ['/subscribe', 'project 412-873-550 in “Plans/**"', 'one smart and one plain quote'],
    ['/subscribe', 'project 412-873-550 in "Plans/**', 'a quote left open'],
  ])('%s %s is understood: %s', async (command, text) => {
    const channel = outside.channel();
    await stage.slack.command({ user: dana, channel, command, text });
    const message = await stage.slack.waitForMessage(channel, /added.*412-873-550/s);
    expect(textOf(message)).toContain('`Plans/**`');
  });
});

describe('options', () => {
  asNewDana();

  test('options can come in any order, and words in any letter case', async () => {
    const [one, other] = [outside.channel(), outside.channel()];
    const sam = `<@${stage.sam.id}|sam>`;
    const raw = async (channel: typeof one, text: string) => {
      await stage.slack.command({ user: dana, channel, command: '/subscribe', text });
      return textOf(await stage.slack.waitForMessage(channel, / added .* to this channel/));
    };
    const first = await raw(
      one,
      `project ${project} only create,update in "Plans/Level 1/**" by ${sam} digest daily 09:00 threads on`,
    );
    const second = await raw(
      other,
      `PROJECT ${project} Threads ON Digest DAILY 9:00 BY ${sam} In "Plans/Level 1/**" Only CREATE, Update`,
    );
    expect(second).toBe(first);
    expect(first).toContain('`Plans/Level 1/**`');
    expect(first).toContain('9:00');
    expect(first).toContain('London time');
  });

  test('times are in the time zone of the Slack profile of the person who types, and the answer names it', async () => {
    const nora = await outside.member({ account: 'dana@example.com', tz: 'America/New_York' });
    const message = await outside.announced(nora, `/subscribe project ${project} digest daily 9:00`, {
      channel: outside.channel(),
    });
    expect(textOf(message)).toMatch(/ 9:00 New York time/);
  });

  test('only: lists can have spaces after commas', async () => {
    const spaced = await outside.announced(dana, `/subscribe project ${project} only create, delete`, {
      channel: outside.channel(),
    });
    const tight = await outside.announced(dana, `/subscribe project ${project} only create,delete`, {
      channel: outside.channel(),
    });
    expect(textOf(spaced)).toBe(textOf(tight));
  });

  test('several globs are several quoted or bare words, a second `in` adds to the first, a leading ! excludes', async () => {
    const message = await outside.announced(
      dana,
      `/subscribe project ${project} in "Plans/Level 1/**" Details/** in "!Plans/Level 1/old/**"`,
      { channel: outside.channel() },
    );
    for (const glob of ['Plans/Level 1/**', 'Details/**', 'Plans/Level 1/old/**']) {
      expect(textOf(message)).toContain(glob);
    }
  });

  test('in "/" is the whole project, so nothing is filtered', async () => {
    const { channel, up } = await outside.following(`/subscribe project ${project} in "/"`, { owner: dana });
    expect(textOf(await stage.slack.waitForMessage(channel, / added .* to this channel/))).toContain(
      'every change as it happens',
    );
    await deliver(up.uri, notificationFor(up, { path: 'Root/Plans/Level 1/A.pdf' }));
    await outside.rows(channel, ({ state }) => state === 'posted');
  });

  test('by and not by accept several people, by service email or @mention', async () => {
    const channel = outside.channel();
    await stage.slack.command({
      user: dana,
      channel,
      command: '/subscribe',
      text: `project ${project} by lee@example.com <@${stage.sam.id}> not by dana@example.com`,
    });
    const message = await stage.slack.waitForMessage(channel, / added .* to this channel/);
    const text = textOf(message);
    expect(text).toMatch(/lee@example\.com/);
    expect(text).toMatch(/Sam Okafor|sam@example\.com/);
    expect(text).toMatch(/dana@example\.com/);
  });

  test('threads are off by default; on: later events of an item go into its thread', async () => {
    const noteOf = async (line: string) => {
      const { channel, up } = await outside.following(line);
      const about = { itemId: '777', path: 'Root/Plans/T.pdf' };
      await deliver(up.uri, notificationFor(up, { ...about, type: 'Create' }));
      const [first] = await outside.rows(channel, ({ state }) => state === 'posted');
      stage.advance(600_000);
      await deliver(up.uri, notificationFor(up, { ...about, type: 'Update' }));
      const [, second] = await outside.rows(channel, ({ state }) => state === 'posted', 2);
      const later = stage.slack.messages(channel).find(({ ts }) => ts === second?.message_ts);
      return { first, later };
    };
    const off = await noteOf(`/subscribe project ${project}`);
    expect(off.later?.threadTs).toBeUndefined();
    const on = await noteOf(`/subscribe project ${project} threads on`);
    expect(on.later?.threadTs).toBe(on.first?.message_ts);
  });
});

const p = `project ${project}`;
/** The labels of the buttons of a message, in order. */
const labels = (message: Parameters<typeof textOf>[0]) => findElements(message.blocks).map(labelOf);

describe('a line that is not understood whole', () => {
  asNewDana();

  const both = ['Run this', 'Edit in the form'];

  test.each([
    [`/subscribe ${p} and tell @sam about deletions`, `/subscribe ${p}`, 'and tell @sam about deletions'],
    [`/subscribe Projekt ${project} täglich um 9 Uhr`, `/subscribe ${p}`, 'täglich um 9 Uhr'],
    ['/subscribe pls watch https://x.example/projects/412873550 thx', `/subscribe ${p}`, 'pls watch thx'],
    [`/subscribe ${p} Level 1 only added`, `/subscribe ${p} only added`, 'Level 1'],
    [`/subscribe ${p} to #elsewhere`, `/subscribe ${p}`, 'to #elsewhere'],
    [`/subscribe ${p} as Harbour Tower`, `/subscribe ${p} as "Harbour"`, 'Tower'],
    [`/subscribe blob ${project}`, `/subscribe ${project}`, 'blob'],
    [`/unsubscribe ${p} and tell Sam`, `/unsubscribe ${p}`, 'and tell Sam'],
  ])('"%s" is shown as "%s", with what was left out: "%s"', async (line, understood, leftOut) => {
    const channel = outside.channel();
    const answer = await outside.ask(dana, line, { channel });
    expect(textOf(answer)).toContain(`I understood \`${understood}\`\nLeft out: \`${leftOut}\``);
    expect(labels(answer)).toEqual(line.startsWith('/subscribe') ? both : both.slice(0, 1));
    expect(stage.slack.messages(channel)).toEqual([]);
  });

  test.each([
    [`/subscribe ${p} itsself`, `/subscribe ${p} itself`],
    ['/plancast subscrybe project 412-873-550', `/plancast subscribe ${p}`],
  ])('a slip is asked about, though nothing was left out: "%s"', async (line, understood) => {
    const answer = await outside.ask(dana, line, { channel: outside.channel() });
    expect(textOf(answer)).toContain(`I understood \`${understood}\``);
    expect(textOf(answer)).not.toContain('Left out');
    expect(labels(answer)).toEqual(both);
  });

  test.each([
    [
      `/subscribe ${p} only banana`,
      '`only` can’t be `banana`',
      ['only added', 'only changed', 'only deleted'],
    ],
    [
      `/subscribe ${p} digest monthly`,
      '`digest` can’t be `monthly`',
      ['digest hourly', 'digest daily 09:00', 'digest weekly monday 09:00'],
    ],
    [
      `/subscribe ${p} without renamed`,
      '`without` can’t be `renamed`',
      ['without added', 'without changed', 'without deleted'],
    ],
    [`/subscribe ${p} only renamed by somebody`, '`by` can’t be `somebody`', []],
    [`/subscribe ${p} digest daily 25:00`, '`digest daily` can’t be `25:00`', ['digest daily 09:00']],
    [`/subscribe ${p} by somebody`, '`by` can’t be `somebody`. Use an email address', []],
    [`/subscribe ${p} in Archive and tell Sam`, '`in` can’t be `Archive`', []],
    [`/subscribe folder Level 1 in ${p}`, '`in` can’t be `project`', []],
  ])('a wrong value is answered with what there is, and nothing runs: "%s"', async (line, said, values) => {
    const channel = outside.channel();
    const answer = await outside.ask(dana, line, { channel });
    expect(textOf(answer)).toContain(said);
    expect(labels(answer)).toEqual([...values, 'Edit in the form']);
    expect(stage.slack.messages(channel)).toEqual([]);
  });

  test.each([
    [`/subscribe folder ${project}`, `\`folder ${project}\` needs the folder’s id`],
    ['/plancast mute A-101 Floor plan.pdf', '`mute` can’t be `A-101`. Use a length of time'],
    ['/plancast mute @sam', '`mute` can’t be `@sam`'],
    ['/plancast mute soon', '`mute` can’t be `soon`'],
    ['/plancast link 12', '`link` can’t be `12`. Use the 6 characters'],
  ])('what lacks its value has no button that does something else: "%s"', async (line, said) => {
    const answer = await outside.ask(dana, line, { channel: outside.channel() });
    expect(textOf(answer)).toContain(said);
    expect(findElements(answer.blocks)).toEqual([]);
  });
});

describe('the buttons of a line that is not understood whole', () => {
  asNewDana();

  test('of two projects in one line none is subscribed to: each has a button that does it', async () => {
    const channel = outside.channel();
    const answer = await outside.ask(dana, `/subscribe ${p} and project 538-204-917 threads`, { channel });
    expect(labels(answer)).toEqual([`project ${project}`, 'project 538-204-917']);
    const second = stage.slack.button(answer, 'project 538-204-917');
    await stage.slack.click({ user: dana, message: answer, element: second });
    expect(
      textOf(await stage.slack.waitForMessage(channel, /Dana Reyes added .* to this channel/)),
    ).toContain('538-204-917');
    expect(stage.slack.messages(channel)).toHaveLength(1);
  });

  test('a line without a link, an id or a known name opens the form with one press', async () => {
    const channel = outside.channel();
    const answer = await outside.ask(dana, '/subscribe the north building', { channel });
    expect(textOf(answer)).toContain('I couldn’t find one in `the north building`');
    await stage.slack.click({
      user: dana,
      message: answer,
      element: stage.slack.button(answer, 'Open the form'),
    });
    const view = await stage.slack.waitForView(dana, 'Project, session or link');
    await stage.slack.closeView({ user: dana, viewId: view });
  });

  test('what only shows something runs whatever else is typed', async () => {
    const channel = outside.channel();
    const list = await outside.ask(dana, '/subscriptions #plans pls', { channel });
    expect(textOf(list)).toContain('no subscriptions');
    await outside.ask(dana, '/plancast status of me', { channel, wanted: /linked/ });
    await outside.ask(dana, '/unsubscribe Riverside School', { channel, wanted: /no subscriptions/ });
  });

  test('Run this subscribes to the whole project, without a filter of the words that were left out', async () => {
    const channel = outside.channel();
    const line = `/subscribe ${p} and tell @sam when something is deleted`;
    const answer = await outside.ask(dana, line, { channel });
    await stage.slack.click({ user: dana, message: answer, element: stage.slack.button(answer, 'Run this') });
    const announced = textOf(
      await stage.slack.waitForMessage(channel, /Dana Reyes added .* to this channel/),
    );
    expect(announced).toContain('every change as it happens');
    expect(announced).not.toContain('sam');
  });

  test('Edit in the form opens it filled in with what was understood, and saving it makes that', async () => {
    const channel = outside.channel();
    const line = `/subscribe pls folder ${project} ${itemId('Plans')} only added in "*.pdf" by lee@example.com digest daily 17:30 weekdays threads as "Plans"`;
    const answer = await outside.ask(dana, line, { channel });
    const element = stage.slack.button(answer, 'Edit in the form');
    await stage.slack.click({ user: dana, message: answer, element });
    const view = await stage.slack.waitForView(dana, 'Folder patterns');
    await stage.slack.submitView({ user: dana, viewId: view });
    const announced = textOf(
      await stage.slack.waitForMessage(channel, /Dana Reyes added .* to this channel/),
    );
    expect(announced).toContain(
      'Posting added by lee@example.com in `*.pdf`, in a digest on weekdays at 17:30 London time. Later',
    );
    expect(created()).toMatchObject({ ProjectId: project });
  });
});

describe('removing and listing', () => {
  asNewDana();

  test("/unsubscribe lists the channel's subscriptions with a Remove button each, and Remove removes", async () => {
    const channel = outside.channel();
    await outside.following(`/subscribe project ${project}`, { channel, owner: dana });
    await outside.following(`/subscribe session ${session}`, { channel, owner: dana });
    const list = await outside.ask(dana, '/unsubscribe', { channel, wanted: /412-873-550/ });
    const buttons = findElements(list.blocks).filter((found) => labelOf(found) === 'Remove');
    expect(textOf(list)).toContain(session);
    expect(buttons).toHaveLength(2);
    const before = stage.service.subscriptions.all().length;
    await stage.slack.click({ user: dana, message: list, element: stage.slack.button(list, 'Remove') });
    await stage.slack.waitForMessage(channel, /Dana Reyes removed/);
    await until(
      () => stage.service.subscriptions.all().length === before - 1 || undefined,
      () => 'the remote subscription still exists',
    );
  });

  test('/unsubscribe project ID removes it here and at the service, and says who did', async () => {
    const { channel, up } = await outside.following(`/subscribe project ${project}`, { owner: dana });
    await outside.announced(dana, `/unsubscribe project ${project}`, {
      channel,
      wanted: /Dana Reyes removed.*412-873-550/s,
    });
    await until(
      () => stage.service.subscriptions.byId(up.id) === undefined || undefined,
      () => 'the remote subscription still exists',
    );
  });

  test('/unsubscribe all asks first: "no" keeps everything, "yes" removes everything', async () => {
    const { channel } = await outside.following(`/subscribe project ${project}`, { owner: dana });
    await outside.following(`/subscribe session ${session}`, { owner: dana, channel });
    const before = stage.service.subscriptions.all().length;
    const question = await outside.ask(dana, '/unsubscribe all', { channel });
    expect(textOf(question)).toMatch(/\?/);
    await stage.slack.click({
      user: dana,
      message: question,
      element: stage.slack.button(question, 'Keep'),
    });
    expect(stage.service.subscriptions.all()).toHaveLength(before);
    const again = await outside.ask(dana, '/unsubscribe all', { channel });
    const yes = stage.slack.button(again, 'remove-all');
    await stage.slack.click({ user: dana, message: again, element: yes });
    await stage.slack.waitForMessage(channel, /Dana Reyes removed/);
    await until(
      () => stage.service.subscriptions.all().length === before - 2 || undefined,
      () => 'the service still has subscriptions',
    );
    const list = await outside.ask(dana, '/subscriptions', { channel });
    expect(textOf(list)).not.toContain(project);
  });

  test('/unsubscribe all in a channel without subscriptions says so', async () => {
    const answer = await outside.ask(dana, '/unsubscribe all', { channel: outside.channel() });
    expect(textOf(answer)).toContain('no subscriptions');
  });

  test('/subscriptions shows what, who, filters, health and last event', async () => {
    const { channel, up } = await outside.following(
      `/subscribe project ${project} only create in "Plans/**" by lee@example.com`,
      { owner: dana },
    );
    await deliver(up.uri, notificationFor(up));
    await outside.rows(channel, ({ state }) => state === 'posted');
    const text = textOf(await outside.ask(dana, '/subscriptions', { channel }));
    expect(text).toContain(project);
    expect(text).toContain('Dana Reyes');
    expect(text).toContain('Plans/**');
    expect(text).toContain('lee@example.com');
    expect(text).toMatch(/added|create/i);
    expect(text).toMatch(/working/i);
    expect(text).toMatch(/<!date\^\d+\^/);
    expect(text).not.toMatch(/no activity yet/);
  });
});

describe('the branded command', () => {
  asNewDana();

  test('every verb also works after /plancast', async () => {
    const channel = outside.channel();
    await outside.announced(dana, `/plancast subscribe project ${project} only create`, {
      channel,
      wanted: /Dana Reyes added .* to this channel/,
    });
    const list = await outside.ask(dana, '/plancast subscriptions', { channel });
    expect(textOf(list)).toContain(project);
    const removable = await outside.ask(dana, '/plancast unsubscribe', { channel });
    expect(() => stage.slack.button(removable, 'Remove')).not.toThrow();
    await outside.announced(dana, `/plancast unsubscribe project ${project}`, {
      channel,
      wanted: /Dana Reyes removed/,
    });
  });

  test('/plancast help names every command, privately', async () => {
    const channel = outside.channel();
    const text = textOf(await outside.ask(dana, '/plancast help', { channel }));
    for (const verb of ['subscribe', 'unsubscribe', 'subscriptions', 'help', 'link', 'unlink', 'status']) {
      expect(text).toContain(`/plancast ${verb}`);
    }
    for (const verb of ['settings', 'mute', 'unmute', 'doctor', 'why']) {
      expect(text).toContain(`/plancast ${verb}`);
    }
    expect(stage.slack.messages(channel)).toEqual([]);
  });

  test('/plancast mute 2h says who muted; nothing is posted until unmute, which posts one summary of what was held back', async () => {
    const { channel, up } = await outside.following(`/subscribe project ${project}`, { owner: dana });
    await outside.announced(dana, '/plancast mute 2h', { channel, wanted: /Dana Reyes.*muted/s });
    const list = await outside.ask(dana, '/subscriptions', { channel });
    expect(textOf(list)).toMatch(/Muted by \*Dana Reyes\* until <!date\^\d+\^/);
    expect(() => stage.slack.button(list, 'Unmute')).not.toThrow();
    const quiet = stage.slack.messages(channel).length;
    for (const name of ['One', 'Two', 'Three']) {
      await deliver(up.uri, notificationFor(up, { path: `Root/Plans/${name}.pdf` }));
    }
    await outside.rows(channel, ({ state, reason }) => state === 'pending' && reason === 'muted', 3);
    expect(stage.slack.messages(channel)).toHaveLength(quiet);
    await outside.announced(dana, '/plancast unmute', { channel, wanted: /Dana Reyes.*unmuted/s });
    const rows = await outside.rows(channel, ({ state }) => state === 'posted', 3);
    expect(new Set(rows.map(({ message_ts }) => message_ts)).size).toBe(1);
    expect(textOf(await outside.ask(dana, '/subscriptions', { channel }))).not.toContain('Muted');
  });
});

describe('what the answers name', () => {
  asNewDana();

  test('/unsubscribe with an id that nothing here has repeats the id, and does not say it is a project', async () => {
    const channel = outside.channel();
    await outside.announced(dana, `/subscribe project ${project}`, { channel });
    const answer = await outside.ask(dana, `/unsubscribe ${session}`, { channel });
    expect(textOf(answer)).toContain(`There’s no subscription to \`${session}\` here.`);
    const own = await outside.ask(dana, `/unsubscribe session ${session} itself to me`, { channel });
    expect(textOf(own)).toContain(`You have no subscription to \`session ${session}\` of your own.`);
    expect(() => stage.slack.button(own, 'Show subscriptions')).not.toThrow();
  });

  test("/unsubscribe all to me is about the person's own subscriptions, also in a channel that has some", async () => {
    const channel = outside.channel();
    await outside.announced(dana, `/subscribe project ${project}`, { channel });
    const answer = await outside.ask(dana, '/unsubscribe all to me', { channel });
    expect(textOf(answer)).toContain('You have no subscriptions of your own.');
  });

  test('why and doctor name the direct messages, not "this channel"', async () => {
    const channel = outside.channel();
    await outside.ask(dana, `/subscribe project ${project} only added to me`, { channel });
    const list = await outside.ask(dana, '/subscriptions to me', { channel });
    await makeStageActions(() => stage).chooseInMenu(dana, list, 'activity');
    const why = await stage.slack.waitForEphemeral(dana, 'I can send you direct messages.');
    await makeStageActions(() => stage).chooseInMenu(dana, list, 'check');
    const doctor = await stage.slack.waitForEphemeral(dana, /^Everything works/);
    expect(textOf(doctor)).toContain('Everything works in your direct messages with me.');
    expect(textOf(why) + textOf(doctor)).not.toContain('this channel');
  });

  test('a line with "me" is repeated with "me", when it is corrected and when it waits for a link', async () => {
    const answer = await outside.ask(dana, `/subscribe project ${project} not me`, {
      channel: outside.channel(),
    });
    expect(textOf(answer)).toContain('`not by` can’t be `me`');
    const unlinked = await outside.member({ realName: 'Una' });
    const offer = await outside.ask(unlinked, `/subscribe project ${project} threads by me, <@${dana.id}>`, {
      channel: outside.channel(),
    });
    expect(textOf(offer)).toContain(
      `I’ll finish \`/subscribe project ${project} by me @${dana.realName} threads on\``,
    );
  });
});
