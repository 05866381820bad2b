import type { HomeView } from '@slack/types';
import type { SlackPerson } from '../../core/model/people.ts';
import type { OpenForm, UpdateForm } from '../../core/subscribing/show-form.ts';
import type { WebClients } from '../installing/web-clients.ts';
import { outcomeOf } from '../posting/post-outcomes.ts';

/** Slack's words for a trigger that was used already, or is older than three seconds. */
const tooLate = new Set([
  'expired_trigger_id',
  'trigger_expired',
  'trigger_exchanged',
  'exchanged_trigger_id',
]);
/** The form was closed meanwhile. */
const closed = new Set(['not_found', 'view_not_found']);

/** Forms and Home tabs on people's screens. */
export function makeScreens({ clients }: { readonly clients: WebClients }) {
  /** Opens a form with the trigger of a command or press; null if the trigger has expired. */
  const show =
    (method: 'open' | 'push'): OpenForm =>
    async ({ person, triggerId }, view) => {
      if (!triggerId) return null;
      try {
        const { client } = await clients(person);
        const { view: shown } = await client.views[method]({ trigger_id: triggerId, view });
        return shown?.id ?? null;
      } catch (error) {
        if (tooLate.has(outcomeOf(error).error)) return null;
        throw error;
      }
    };

  const updateForm: UpdateForm = async ({ person }, viewId, view) => {
    try {
      const { client } = await clients(person);
      await client.views.update({ view_id: viewId, view });
    } catch (error) {
      if (!closed.has(outcomeOf(error).error)) throw error;
    }
  };

  async function publishHome(person: SlackPerson, view: HomeView): Promise<void> {
    try {
      const { client } = await clients(person);
      await client.views.publish({ user_id: person.userId, view });
    } catch (error) {
      // An admin can turn the Home tab off; then nobody sees it.
      if (outcomeOf(error).error !== 'not_enabled') throw error;
    }
  }

  return { openForm: show('open'), pushForm: show('push'), updateForm, publishHome };
}

export type Screens = ReturnType<typeof makeScreens>;
