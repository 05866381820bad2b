import type { RequestHandler } from 'express';
import type { Bot } from '../core/bot.ts';
import { watchSignatures } from '../slack/seen-signatures.ts';
import type { SlackAdapter, SlackAdapterDeps } from '../slack/slack-adapter.ts';
import { makeRequestTimes } from '../store/tables/request-times.ts';
import type { Base } from './base.ts';

/**
 * Composes the Slack adapter: which use case handles each request from Slack. Bolt and its
 * dependencies are a quarter of all modules, and posting does not need them, so they are loaded by `load` or by the first request.
 */
export function composeSlackAdapter(base: Base, bot: Bot) {
  const { env, store, slack, clock, log } = base;
  const adapterDeps: SlackAdapterDeps = {
    bot,
    signingSecret: env.slack.signingSecret,
    watch: watchSignatures({
      signingSecret: env.slack.signingSecret,
      noteTime: makeRequestTimes(store.db, { now: () => clock.now(), log }).note,
      now: () => clock.now(),
      log,
    }),
    clientOptions: slack.clientOptions,
    logger: slack.logger,
    authorize: slack.authorize,
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
