import type { Application, Response } from 'express';
import type { Bot } from '../core/bot.ts';
import { standingBy } from '../messages/subscribing/answers.ts';
import { atFirstField, type SubmittedView } from './acts/forms.ts';
import { makeReceiver, type ReceiverOptions } from './receiver.ts';
import type { Slack } from './slack-port.ts';

type StandbyOptions = Pick<ReceiverOptions, 'signingSecret' | 'logger'> & Pick<Slack, 'answer'>;

/** The fields that are read of a command or an interaction. */
type StandbyBody = { response_url?: string; type?: string; view?: SubmittedView };

/** Opens Slack's adapter of a bot on standby: it answers people with one sentence, and events with 503, so that Slack sends them again. */
export function openStandbyAdapter(
  { clock, log }: Pick<Bot, 'clock' | 'log'>,
  { answer, ...options }: StandbyOptions,
): Application {
  const noteRefusal = (err: unknown) => log.warn({ err }, 'Slack did not accept an answer');
  async function reply({ body }: { readonly body: StandbyBody }, response: Response): Promise<void> {
    if (body.type === 'view_submission' && body.view) {
      response.json({ response_action: 'errors', errors: atFirstField(body.view, standingBy) });
    } else if (body.response_url) {
      response.status(200).send();
      await answer(body.response_url, standingBy).catch(noteRefusal);
    } else response.set('retry-after', '60').status(503).send();
  }
  return makeReceiver(clock, { ...options, watch: (_request, _response, next) => next(), reply }).app;
}
