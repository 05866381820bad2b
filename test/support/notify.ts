import { randomUUID } from 'node:crypto';

/** A notification as the service sends it; missing fields are filled in. */
export type Notice = {
  readonly id?: string | undefined;
  readonly eventType?: 'Create' | 'Update' | 'Delete' | undefined;
  readonly item: string;
  readonly name: string;
  readonly user?: string | undefined;
  readonly at?: Date | undefined;
  readonly projectId?: string | undefined;
  /** Default: at the top of the project. */
  readonly path?: string | undefined;
  readonly itemType?: 'File' | 'Folder' | undefined;
  /** Ids from the root folder down to the item. */
  readonly idPath?: string | undefined;
};

/** Sends a notification about a file to a callback URL, as the service would. Returns the status. */
export async function notify(uri: string, notice: Notice): Promise<number> {
  const response = await fetch(uri, { method: 'POST', body: JSON.stringify(bodyOf(notice)) });
  await response.body?.cancel();
  return response.status;
}

/** Returns what the service sends about a file. */
export function bodyOf({
  id = randomUUID(),
  eventType = 'Create',
  item,
  name,
  user = 'sam@example.com',
  at = new Date(),
  projectId = '412-873-550',
  path = `Root/${name}`,
  itemType = 'File',
  idPath = `root/${item}`,
}: Notice) {
  return {
    Id: id,
    Resource: `/Primes/1/Projects/${projectId}/`,
    Timestamp: at.toISOString(),
    ExtraInformation: {
      ResourceType: 'ProjectItems',
      EventType: eventType,
      User: user,
      IdPath: idPath,
      Path: path,
      ItemType: itemType,
      Name: name,
    },
  };
}
