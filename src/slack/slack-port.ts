import type { Slack } from '../core/slack.ts';
import {
  channelNamesOf,
  channelsOf,
  forgetMember,
  isInChannel,
  isShared,
  mayPost,
  publicChannelsOf,
  readersOf,
  recentlyMayPost,
} from './facts/channels.ts';
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
import { forgetInstallation } from './installing/installations.ts';
import { directMessage, edit, post, preview, showTo } from './posting/post.ts';
import { answer } from './replies/answer.ts';
import { makePublishHome, openForm, updateForm } from './replies/screens.ts';
import { featuresOff } from './scopes.ts';
import { onApi, type SlackApi } from './slack-api.ts';

/** Puts together what core asks of Slack and does there. */
export function slackPort(api: SlackApi): Slack {
  const on = onApi(api);
  return {
    profileOf: on(profileOf),
    recentProfileOf: makeRecentProfileOf(api),
    currentProfileOf: on(currentProfileOf),
    isAdmin: on(isAdmin),
    ...makePeople(api),
    isInChannel: on(isInChannel),
    channelsOf: on(channelsOf),
    channelNamesOf: on(channelNamesOf),
    forgetMember: on(forgetMember),
    publicChannelsOf: on(publicChannelsOf),
    isShared: on(isShared),
    readersOf: on(readersOf),
    mayPost: on(mayPost),
    recentlyMayPost: on(recentlyMayPost),
    nameOf: makeNameOf(api),
    botNameOf: async (workspace) => (await api.clientOf(workspace)).identity.botName,
    featuresOff: async (workspace) => {
      const { scopes } = (await api.recentClientOf(workspace)).identity;
      const features = scopes === null ? [] : featuresOff(scopes, api);
      return { features, installUrl: api.installUrl };
    },
    workspaceNameOf: async (workspace) =>
      (await api.clientOf(workspace)).identity.workspaceName ?? workspace.teamId,
    post: on(post),
    edit: on(edit),
    preview: on(preview),
    directMessage: on(directMessage),
    showTo: on(showTo),
    answer: on(answer),
    openForm: (asked, view) => openForm(api, asked, view),
    pushForm: (asked, view) => openForm(api, asked, view, 'push'),
    updateForm: on(updateForm),
    publishHome: makePublishHome(api),
    isInstalled: on(isInstalled),
    installationState: on(installationState),
    access: on(access),
    isServed: on(isServed),
    isRevoked: on(isRevoked),
    forgetInstallation: on(forgetInstallation),
  };
}
