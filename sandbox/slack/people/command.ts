import { readContent, saysSomething } from '../content.ts';
import { type BotAnswer, FORM, type Tampering } from '../deliver.ts';
import { type Channel, idOf, type Ref, type User, type Workspace } from '../directory.ts';
import { type Fields, isFields, stringOf } from '../json.ts';
import { channelNameInPayload } from './channel-name.ts';
import {
  type Doing,
  type Done,
  failureOf,
  postToPerson,
  type Stage,
  VERIFICATION_TOKEN,
} from './interaction.ts';
import { escapeTyped } from './typed-text.ts';

export interface CommandInput extends Doing {
  user: Ref;
  channel: Ref;
  /** With the slash. */
  command: string;
  /** Sent as is. Default: empty. */
  text?: string | undefined;
  /** True: `text` is what a person types, and is escaped as with `should_escape`. */
  typed?: boolean | undefined;
  /** Replaces the practice Slack's own. */
  responseUrl?: string | undefined;
}

interface Place {
  user: User;
  channel: Channel;
  workspace: Workspace;
}

function fieldsOfCommand(stage: Stage, input: CommandInput, { user, channel, workspace }: Place): Fields {
  const { state } = stage;
  const { teamId } = workspace;
  const where = { teamId, channelId: channel.id, userId: user.id };
  const url = state.responseUrls.issue({ kind: 'commands', messageId: undefined, ...where });
  const trigger = state.triggers.issue({
    id: input.triggerId,
    teamId,
    userId: user.id,
    channelId: channel.id,
  });
  const text = input.text ?? '';
  return {
    token: VERIFICATION_TOKEN,
    team_id: teamId,
    team_domain: workspace.domain,
    enterprise_id: workspace.enterpriseId,
    enterprise_name: workspace.enterpriseName,
    channel_id: channel.id,
    channel_name: channelNameInPayload(channel),
    user_id: user.id,
    user_name: user.name,
    command: input.command,
    text: input.typed ? escapeTyped(text, state.directory) : text,
    api_app_id: state.app.appId,
    is_enterprise_install: String(workspace.isEnterpriseInstall),
    response_url: input.responseUrl ?? `${stage.origin()}${url.path}`,
    trigger_id: trigger.id,
    ...input.overrides,
  };
}

/** Shows a response (empty, plain text or JSON) to the person, or to everyone with `in_channel`. */
function showAnswer(stage: Stage, { user, channel, workspace }: Place, answer: BotAnswer): void {
  const { state } = stage;
  const { teamId } = workspace;
  const said: Fields = isFields(answer.json) ? answer.json : { text: answer.body };
  const content = readContent(said);
  if ('error' in content) {
    const sentence = content.problems.map(({ pointer, sentence: line }) => `${pointer}: ${line}`).join(' ');
    state.violations.add({ kind: 'answer', method: 'command', sentence: sentence || content.error, teamId });
    postToPerson(stage, {
      teamId,
      channelId: channel.id,
      userId: user.id,
      text: `The app's answer was ${content.error}`,
    });
    return;
  }
  if (!saysSomething(content)) return;
  const viewerId = said.response_type === 'in_channel' ? undefined : user.id;
  state.messages.post({ teamId, channelId: channel.id, viewerId, content, via: 'command' });
}

/** Whether the app has no such command. Slack then answers the person itself, and the app receives nothing. */
export function refusesCommand(
  stage: Stage,
  input: Pick<CommandInput, 'user' | 'channel' | 'command'>,
): boolean {
  const { directory, app } = stage.state;
  if (app.commands?.includes(input.command) !== false) return false;
  const user = directory.user(input.user);
  const channel = directory.channel(idOf(input.channel));
  const { teamId } = directory.workspaceFor(channel, user);
  const text = `${input.command} is not a valid command. In Slack, all messages that start with the "/" character are interpreted as commands.`;
  postToPerson(stage, { teamId, channelId: channel.id, userId: user.id, text });
  return true;
}

/** Sends a slash command. Resolves with the bot's response, which is also displayed where Slack would display it. */
export async function command(stage: Stage, input: CommandInput): Promise<Done> {
  const { directory } = stage.state;
  const user = directory.user(input.user);
  const channel = directory.channel(idOf(input.channel));
  const place = { user, channel, workspace: directory.workspaceFor(channel, user) };
  // The app's manifest makes its messages read-only; these are Slack's words for it.
  if (channel.kind === 'im' && channel.members.has(place.workspace.botUserId)) {
    throw new Error('Sending messages to this app has been turned off.');
  }
  const payload = fieldsOfCommand(stage, input, place);
  const form = new URLSearchParams();
  for (const [key, value] of Object.entries(payload)) if (value !== undefined) form.set(key, String(value));
  const body = form.toString();
  const send = async (tamper: Tampering | undefined): Promise<Done> => {
    const answer = await stage.deliver({ contentType: FORM, body, tamper });
    const failure = failureOf(answer);
    if (failure === undefined) showAnswer(stage, place, answer);
    else {
      const text = `${input.command} failed with the error "${failure}"`;
      postToPerson(stage, { teamId: place.workspace.teamId, channelId: channel.id, userId: user.id, text });
    }
    return {
      ...answer,
      payload,
      triggerId: stringOf(payload.trigger_id),
      responseUrl: stringOf(payload.response_url),
      replay: send,
    };
  };
  return await send(input.tamper);
}
