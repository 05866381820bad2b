import type { ModalView } from '@slack/types';
import type { Channel, SlackPerson, Workspace } from '../core/model/people.ts';
import type { FeaturesOff } from '../core/model/slack-access.ts';
import type { Trigger } from '../core/slack.ts';
import type { Log } from '../lib/log.ts';
import type { RecordKind, Records } from '../lib/records.ts';
import * as channels from './facts/channels.ts';
import {
  currentProfileOf,
  isAdmin,
  makeNameOf,
  makePeople,
  makeRecentProfileOf,
  profileOf,
} from './facts/people.ts';
import {
  access,
  installationState,
  isInstalled,
  isRevoked,
  isServed,
} from './installing/installation-state.ts';
import { forgetInstallation, type Installations } from './installing/installations.ts';
import type { WebClients } from './installing/web-clients.ts';
import * as posting from './posting/post.ts';
import { answer } from './replies/answer.ts';
import { makePublishHome, openForm, updateForm } from './replies/screens.ts';
import { featuresOff } from './scopes.ts';

/** What core asks of Slack, and does there. */
export type Slack = ReturnType<typeof slackPort>;

/** Puts together what core asks of Slack and does there. */
export function slackPort(api: SlackApi) {
  return {
    ...onApi(api, channels),
    ...onApi(api, posting),
    ...onApi(api, { profileOf, currentProfileOf, isAdmin }),
    ...onApi(api, { answer, updateForm }),
    ...onApi(api, { isInstalled, installationState, access, isServed, isRevoked, forgetInstallation }),
    ...makePeople(api),
    recentProfileOf: makeRecentProfileOf(api),
    nameOf: makeNameOf(api),
    publishHome: makePublishHome(api),
    openForm: (asked: Trigger, view: ModalView) => openForm(api, asked, view),
    /** Opens a form on top of the current one. */
    pushForm: (asked: Trigger, view: ModalView) => openForm(api, asked, view, 'push'),
    /** The bot's name in Slack, for `/invite`. */
    botNameOf: async (workspace: Workspace): Promise<string> =>
      (await api.clientOf(workspace)).identity.botName,
    /** Returns the workspace's name; throws if Slack cannot be asked. */
    workspaceNameOf: async (workspace: Workspace): Promise<string> =>
      (await api.clientOf(workspace)).identity.workspaceName ?? workspace.teamId,
    /** Returns what is off in a workspace for lack of scopes, and where an admin installs the bot again. Throws if it is not installed. */
    featuresOff: async (workspace: Workspace): Promise<FeaturesOff> => {
      const { scopes } = (await api.recentClientOf(workspace)).identity;
      const features = scopes === null ? [] : featuresOff(scopes, api);
      return { features, installUrl: api.installUrl };
    },
  };
}

/** What every function of this folder that asks Slack, or does something there, is handed. */
export type SlackApi = Installations &
  WebClients & {
    /** Whether the bot acts with a token of one workspace instead of installations. */
    readonly isOwnToken: boolean;
    /** Returns the kept answers of one kind. */
    readonly records: <T>(kind: RecordKind<T>) => Records<T>;
    /** People's own conversations with the bot, the only direct messages that it serves. */
    readonly directMessages: {
      readonly of: (person: SlackPerson) => Promise<string | null>;
      readonly isOwn: (channel: Channel) => Promise<boolean>;
      readonly keep: (person: SlackPerson, channelId: string) => Promise<void>;
    };
    /** Whether the bot was removed from a channel. Then it posts nothing there, even if `chat:write.public` would allow it. */
    readonly wasRemoved: (channel: Channel) => Promise<boolean>;
    /** Whether links are previewed, where a workspace has granted it. */
    readonly previews: boolean;
    /** Where an admin installs the bot again. */
    readonly installUrl: string;
    /** The only origins accepted for a `response_url`: Slack's own host and that of the configured Web API. */
    readonly responseOrigins: readonly string[];
    readonly log: Log;
  };

/** What takes a `SlackApi` and more, once it has the `SlackApi`. */
type OnApi<Run> = Run extends (api: SlackApi, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;
type OfApi = Readonly<Record<string, (api: SlackApi, ...rest: never[]) => unknown>>;

/** Hands functions of this folder their `SlackApi`. */
export function onApi<Functions extends OfApi>(api: SlackApi, functions: Functions) {
  const bound = Object.entries(functions).map(([name, run]) => [name, run.bind(undefined, api)]);
  return Object.fromEntries(bound) as { readonly [Name in keyof Functions]: OnApi<Functions[Name]> };
}
