import type { Stage } from './stage.ts';

/** Makes a channel in which Dana, who is linked, subscribes to a project. Returns it with the callback URL. */
export async function followed(stage: Stage, name?: string, project = '412-873-550') {
  const { slack, service, dana } = stage;
  const channel = slack.addChannel({ ...(name === undefined ? {} : { name }), members: [dana] });
  const before = new Set(service.subscriptions.all().map(({ uri }) => uri));
  await stage.type(dana, `/subscribe project ${project}`, channel);
  await slack.waitForMessage(channel, 'to this channel');
  const uri = service.subscriptions.all().find((each) => !before.has(each.uri))?.uri;
  if (!uri) throw new Error('nothing was subscribed');
  return { channel, uri };
}
