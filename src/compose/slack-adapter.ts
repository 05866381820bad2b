import type { RequestHandler } from 'express';
import { channelOf } from '../core/access/command-context.ts';
import { atHome } from '../core/access/home-workspace.ts';
import type { Bot } from '../core/bot.ts';
import { recallChanges } from '../core/delivering/recall-changes.ts';
import { watchSignatures } from '../slack/seen-signatures.ts';
import type { SlackAdapter, SlackAdapterDeps } from '../slack/slack-adapter.ts';
import { makeRequestTimes } from '../store/tables/request-times.ts';
import type { Base } from './base.ts';
import type { Rooms } from './core.ts';

type SlackAdapterUses = {
  readonly core: Rooms;
};

/**
 * Composes the Slack adapter: which use case handles each request from Slack. Bolt and its
 * dependencies are a quarter of all modules, and posting does not need them, so they are loaded by `load` or by the first request.
 */
export function composeSlackAdapter(base: Base, { core }: SlackAdapterUses) {
  const { env, store, slack, clock, log } = base;
  const { bot } = core;
  const { tables, seenRequests } = store;
  const onBot =
    <Rest extends unknown[], Result>(run: (bot: Bot, ...rest: Rest) => Result) =>
    (...rest: Rest) =>
      run(bot, ...rest);
  /** The use cases, by the names under which the handlers of requests know them. */
  const useCases = {
    ...core.requests,
    atHome: onBot(atHome),
  };
  const { port, contextFrom, answer } = slack;
  const adapterDeps: SlackAdapterDeps = {
    bot,
    signingSecret: env.slack.signingSecret,
    watch: watchSignatures({
      signingSecret: env.slack.signingSecret,
      noteTime: makeRequestTimes({ keyv: store.keyv, now: () => clock.now(), log }).note,
      now: () => clock.now(),
      log,
    }),
    clientOptions: slack.clientOptions,
    logger: slack.logger,
    authorize: slack.authorize,
    contextFrom,
    answer,
    commands: {
      ...useCases,
      bot,
      carryOut: useCases.carryOutAdmitted,
      contextFrom,
      names: env.slack.commandNames,
      profileOf: port.profileOf,
      log,
    },
    actions: {
      ...useCases,
      bot,
      openForm: port.openForm,
      pushForm: port.pushForm,
      updateForm: port.updateForm,
      answer,
      log,
      noteChange: seenRequests.noteChange,
      noteMore: (viewId) => seenRequests.noteMore(viewId, clock.now()),
      hasMore: seenRequests.hasMore,
      subscriptionIdOf: (context, eventId) => tables.events.subscriptionIdOf(channelOf(context), eventId),
      shownEvent: async (context, eventId) => {
        const event = await tables.events.byNumber(channelOf(context), eventId);
        const [change] = event ? await recallChanges(bot, channelOf(context), [event]) : [];
        return event && change ? { event, change, isGone: await tables.events.isDeleted(event) } : null;
      },
      exclusionOf: (context, id) => tables.exclusions.ofOrganization(context.person, id),
      subscriptionOf: (context, id) => tables.subscriptions.ofOrganization(context.person, id),
    },
    shortcuts: { ...useCases, bot },
    views: { ...useCases, bot, contextFrom },
    atHome: useCases.atHome,
    take: (id) => seenRequests.take(id, clock.now()),
    now: () => clock.now(),
    log,
  };
  let opening: Promise<SlackAdapter> | null = null;
  const open = (): Promise<SlackAdapter> =>
    (opening ??= import('../slack/slack-adapter.ts').then(({ openSlackAdapter }) =>
      openSlackAdapter(adapterDeps),
    ));
  const routes: RequestHandler = (request, response, next) =>
    void open().then((adapter) => adapter.routes(request, response, next), next);
  return {
    routes,
    load: async () => void (await open()),
    /** Waits for work that was acknowledged but is not finished. */
    settle: async () => (await opening?.catch(() => null))?.settle(),
  };
}
