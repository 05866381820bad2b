import { expect } from 'vitest';
import type { Stage } from './stage.ts';

const dana = 'dana@example.com';
/** Milliseconds to wait for a message: longer than anything takes on a busy machine. */
const patience = 15_000;

/**
 * Links; subscribes to a project, a session, a file and a document, each in a new channel; expects each change to be posted once;
 * unsubscribes and unlinks. Throws at the first step that fails. `name` keeps the channels and files of different journeys apart.
 */
export async function walkTheJourney(stage: Stage, name: string): Promise<void> {
  const { slack, service } = stage;
  // A new person each time, because the bot limits people to thirty actions a minute.
  const user = slack.addUser({ teamId: stage.teamId, realName: name, name, email: dana });
  await stage.link(user, dana);
  const project = service.data.project('Harbour Tower').id;
  const session = service.data.session('731-450-286').id;
  const file = service.act(dana, { action: 'create-file', project, name: `${name}.pdf` }).id;
  const document = service.act(dana, { action: 'add-document', session, name: `${name}.doc` }).id;
  const followed = [
    `project ${project}`,
    `session ${session}`,
    `file ${project} ${file}`,
    `document ${session} ${document}`,
  ] as const;
  const channels = followed.map((words) => slack.addChannel({ name: `${name} ${words}`, members: [user] }));
  await each(channels, async (channel, index) => {
    await stage.type(user, `/subscribe ${followed[index]}`, channel);
    await slack.waitForMessage(channel, 'to this channel', patience);
  });

  service.act(dana, { action: 'rename-item', project, item: file, name: `${name} B.pdf` });
  service.act(dana, { action: 'delete-document', session, document });
  const namesInActivity = [`${name} B.pdf`, `${name}.doc`, `${name} B.pdf`, `${name}.doc`];
  await each(channels, async (channel, index) => {
    await slack.waitForMessage(channel, ({ text }) => isActivity(text, namesInActivity[index]), patience);
  });
  await service.settled();
  await each(channels, async (channel, index) => {
    await stage.type(user, `/unsubscribe ${followed[index]}`, channel);
    // Deleting the document has already ended its subscription.
    if (index !== 3) await slack.waitForMessage(channel, 'removed the subscription', patience);
    const posts = slack
      .messages(channel)
      .filter((message) => isActivity(message.text, namesInActivity[index]));
    expect(posts, `posts once in ${channel.name}`).toHaveLength(1);
  });
  await unlink(stage, user);
}

/** Recognizes activity about an item, as opposed to messages about subscriptions, which name the same items. */
function isActivity(text: string, name = ''): boolean {
  return (
    text.includes(name) && !/subscri(bed|ption)/.test(text.replace('so that subscription has ended', ''))
  );
}

async function each<T>(
  things: readonly T[],
  work: (thing: T, index: number) => Promise<void>,
): Promise<void> {
  await Promise.all(things.map(work));
}

async function unlink({ slack, plans, type }: Stage, user: Stage['dana']): Promise<void> {
  plans.members.add(user.id);
  const before = new Set(slack.ephemerals(user).map(({ id }) => id));
  await type(user, '/plancast unlink', plans);
  const question = await slack.waitForEphemeral(
    user,
    ({ id, text }) => !before.has(id) && text.includes('Unlink'),
  );
  await slack.click({ user, message: question, actionId: 'unlink-now' });
  await slack.waitForEphemeral(
    user,
    ({ id, text }) => id === question.id && text.includes('no longer linked'),
  );
}
