import type { Allowance } from '../../lib/rate-limit.ts';
import { refused, tooManyTries } from '../../messages/subscribing/refusals.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { PlaceOf } from '../access/personal.ts';
import { Refusal } from '../access/refusal.ts';
import type { RequireMayChange, RequireMaySee } from '../access/who-may.ts';
import type { ImportForm } from '../administering/import-form.ts';
import type { OfferImports } from '../administering/offer-imports.ts';
import type { Mute } from '../channels/mute.ts';
import type { LinkCommands } from '../linking/link-commands.ts';
import type { ProfileOf, SlackPerson } from '../model/people.ts';
import type { Request } from '../model/request.ts';
import type { WorkspaceSettings } from '../model/settings.ts';
import { type BareVerb, bareVerbRow, type Needs } from '../model/verbs.ts';
import type { SubscribeOptions } from '../subscribing/given-request.ts';
import type { ShowForm } from '../subscribing/show-form.ts';
import type { ShowList } from '../subscribing/show-list.ts';
import type { Subscribe } from '../subscribing/subscribe.ts';
import type { Unsubscribe } from '../subscribing/unsubscribe.ts';
import type { ShowHelp } from './show-help.ts';

/** The handlers of verbs without arguments, each provided by its room. */
type BareVerbHandlers = Readonly<Record<BareVerb, (context: CommandContext) => Promise<void>>>;

export type CarryOutDeps = {
  /** Returns the profile of a few seconds ago at most, so a person who is made a guest loses their rights at once. */
  readonly currentProfileOf: ProfileOf;
  /** Counts one more request of a person, across all processes. */
  readonly countCommand: (person: SlackPerson) => Promise<Allowance>;
  /** Returns the context of the conversation that a request is for. */
  readonly placeOf: PlaceOf;
  readonly requireMayChange: RequireMayChange;
  readonly requireMaySee: RequireMaySee;
  readonly subscribe: Subscribe;
  readonly unsubscribe: Unsubscribe;
  readonly links: Pick<LinkCommands, 'link' | 'code'>;
  readonly showList: ShowList;
  readonly showHelp: ShowHelp;
  readonly showForm: Pick<ShowForm, 'here'>;
  readonly mute: Pick<Mute, 'mute'>;
  readonly importForm: Pick<ImportForm, 'show'>;
  readonly offerImports: Pick<OfferImports, 'accept'>;
  readonly bareVerbs: BareVerbHandlers;
};

/** Throws a `Refusal` unless the person is a full member of the workspace and is within the rate limit. */
export type RequireAdmission = (context: CommandContext) => Promise<void>;

export function makeRequireAdmission({
  currentProfileOf,
  countCommand,
}: Pick<CarryOutDeps, 'currentProfileOf' | 'countCommand'>): RequireAdmission {
  return async (context) => {
    const { person } = context;
    const allowance = await countCommand(person);
    if (!allowance.allowed) throw new Refusal(context, tooManyTries(allowance.retryInSeconds));
    const { standing } = await currentProfileOf(person);
    if (standing !== 'member')
      throw new Refusal(context, refused(standing === 'bot' ? 'stranger' : standing));
  };
}

/** Carries out a request: the one path for what was typed, chosen in a form, or stored while the person linked. */
export type CarryOutRequest = (
  context: CommandContext,
  request: Request,
  options?: SubscribeOptions,
) => Promise<void>;

export function makeCarryOut(deps: CarryOutDeps): CarryOutRequest {
  const requireAdmission = makeRequireAdmission(deps);
  return async (asked, request, options) => {
    await requireAdmission(asked);
    const context = await deps.placeOf(asked, request);
    const settings = await requireMayDo(context, request, deps);
    switch (request.act) {
      case 'subscribe':
        return deps.subscribe(context, request, { ...options, settings });
      case 'unsubscribe':
        return deps.unsubscribe.one(context, request.target);
      case 'unsubscribe-all':
        return deps.unsubscribe.askAll(context);
      case 'unsubscribe-list':
        return deps.showList(context, { toRemove: true });
      case 'list':
        return deps.showList(context, { toRemove: false });
      case 'link':
        return request.code === undefined ? deps.links.link(context) : deps.links.code(context, request.code);
      case 'mute':
        return deps.mute.mute(context, request.minutes);
      case 'help':
        return deps.showHelp(context, request.topic);
      case 'open-form':
        return deps.showForm.here(context);
      case 'import':
        return request.batch === undefined
          ? deps.importForm.show(context)
          : deps.offerImports.accept(context, request.batch);
      default:
        return deps.bareVerbs[request.act](context);
    }
  };
}

/**
 * Carries out what an admin has allowed. Asks no questions first, since the person may not be around to answer. They must still be in
 * the channel: the admin's answer may have taken days.
 */
export function makeCarryOutAllowed(
  deps: Pick<
    CarryOutDeps,
    'currentProfileOf' | 'countCommand' | 'requireMaySee' | 'subscribe' | 'unsubscribe' | 'mute' | 'bareVerbs'
  >,
): (context: CommandContext, request: Request) => Promise<void> {
  const requireAdmission = makeRequireAdmission(deps);
  return async (context, request) => {
    await requireAdmission(context);
    await deps.requireMaySee(context);
    switch (request.act) {
      case 'subscribe':
        return deps.subscribe(context, request, { anyway: true, shared: true });
      case 'unsubscribe':
        return deps.unsubscribe.one(context, request.target);
      case 'unsubscribe-all':
        return deps.unsubscribe.all(context);
      case 'mute':
        return deps.mute.mute(context, request.minutes);
      case 'unmute':
        return deps.bareVerbs.unmute(context);
      default:
        throw new Error(`nobody has to allow ${request.act}`);
    }
  };
}

type Gates = Pick<CarryOutDeps, 'requireMayChange' | 'requireMaySee'>;

/** Throws a `Refusal` unless the person is allowed to do this in the channel. Returns the workspace's settings if it read them. */
async function requireMayDo(
  context: CommandContext,
  request: Request,
  gates: Gates,
): Promise<WorkspaceSettings | undefined> {
  const needs = needsOf(request);
  if (needs === 'change') return gates.requireMayChange(context, request);
  if (needs === 'see') await gates.requireMaySee(context);
  return undefined;
}

function needsOf(request: Request): Needs {
  switch (request.act) {
    case 'subscribe':
      // First the person is asked what a bare id stands for; whether they may subscribe is checked after they answer.
      return request.target.kind === 'unknown' ? 'see' : 'change';
    case 'unsubscribe':
    case 'unsubscribe-all':
    case 'mute':
      return 'change';
    case 'unsubscribe-list':
    case 'list':
      return 'see';
    case 'help':
    case 'link':
    case 'import':
    case 'open-form':
      // The form is checked when it is submitted, because Slack requires it to open within three seconds.
      return 'nothing';
    default:
      return bareVerbRow(request.act).needs;
  }
}
