import type { AnyRequest } from '../../core/model/any-request.ts';
import type { Change } from '../../core/model/change.ts';
import type { SubscribeRequest } from '../../core/model/request.ts';
import type { LinkedTarget } from '../../core/model/service-urls.ts';
import type { Subscribed } from '../../core/model/subscription.ts';
import { sentenceOfOne } from '../activity/sentences.ts';
import { rowButton } from '../subscribing/row-buttons.ts';
import { describeTarget } from '../text/copy.ts';
import { type Message, messageOf, notice, requestButton } from '../text/message.ts';
import { capital, day, item, type Phrase, plainly, say, strong, time, typed } from '../text/phrase.ts';

/** A subscription of the channel to just what a link leads to. `lastChange`: that it posted, if that is still stored. */
export type FollowedLink = {
  readonly id: string;
  readonly subscribed: Subscribed;
  readonly since: Date;
  readonly lastChange: Change | null;
};

const kinds = {
  project: 'project',
  session: 'session',
  document: 'document',
  folder: 'folder',
  file: 'file',
  item: 'file or folder',
  unknown: 'project or session',
} as const satisfies Record<LinkedTarget['kind'], string>;

/** Shows what a posted link leads to. Names are null where they may not be shown; `isBetweenPeople`: in a direct message, without a button. */
export function linkPreview(preview: {
  readonly target: LinkedTarget;
  readonly name: string | null;
  readonly parentName: string | null;
  readonly followed: FollowedLink | null;
  readonly isBetweenPeople: boolean;
  readonly serviceName: string;
}): Message {
  const { target, name, parentName, followed, isBetweenPeople, serviceName } = preview;
  const kind = kinds[target.kind];
  const inParent: Phrase = parentName === null || parentName === name ? [] : say` in ${strong(parentName)}`;
  const unnamed = say`A ${kind}${inParent} at ${plainly(serviceName)}`;
  const last = followed?.lastChange ?? null;
  return messageOf({
    lines: [name === null ? unnamed : say`${item(name)} · ${kind}${inParent}`],
    small: [
      followed !== null && say`This channel follows it since ${day(followed.since)}.`,
      last !== null && say`Last change: ${sentenceOfOne(last)} · ${time(last.happenedAt)}`,
    ],
    buttons: [followed ? rowButton('edit', followed) : !isBetweenPeople && subscribeButton(target, name)],
  });
}

function subscribeButton(target: LinkedTarget, name: string | null) {
  const spokenAfter = name === null ? say` to this ${kinds[target.kind]}` : say` to ${plainly(name)}`;
  const request = { act: 'follow-links' as const, targets: [target] };
  return requestButton('Subscribe this channel', request, { spokenAfter });
}

/** The channel follows it already, when another member presses Subscribe this channel. */
export function followsSince({ id, subscribed, since }: Omit<FollowedLink, 'lastChange'>): Message {
  return messageOf({
    lines: [say`This channel follows it since ${day(since)}.`, capital(describeTarget(subscribed))],
    buttons: [rowButton('edit', { id, subscribed })],
  });
}

/** A link does not say whether it leads to a file or to a folder. The button opens the form. */
export function itemQuestion(requests: {
  readonly file: SubscribeRequest;
  readonly folder: SubscribeRequest;
}): Message {
  const choice = (label: string, kind: keyof typeof requests) =>
    requestButton(label, { act: 'fill-form', request: requests[kind] }, { variant: kind });
  return messageOf({
    lines: [say`Is that a file or a folder?`],
    buttons: [choice('It’s a file', 'file'), choice('It’s a folder', 'folder')],
  });
}

/** A message has links to several things. `name` is null where no name may be shown to the reader. */
export function linksQuestion(
  links: readonly { readonly target: LinkedTarget; readonly name: string | null }[],
): Message {
  return messageOf({
    lines: [say`Which one do you want to follow?`],
    rows: links.map(({ target, name }) => {
      const words =
        name === null ? say`${capital([kinds[target.kind]])} ${typed(idOf(target))}` : [strong(name)];
      const request: AnyRequest = { act: 'follow-links', targets: [target] };
      return { lines: [words], button: requestButton('Follow', request, { spokenAfter: say` ${words}` }) };
    }),
  });
}

function idOf(target: LinkedTarget): string {
  if ('itemId' in target) return target.itemId;
  if ('documentId' in target) return target.documentId;
  if ('projectId' in target) return target.projectId;
  return 'sessionId' in target ? target.sessionId : target.id;
}

/** No link of a message leads to something that can be followed. */
export function noLinks(serviceName: string): Message {
  return notice`I found no link to a project, session, file or folder at ${plainly(serviceName)} in that message.`;
}
