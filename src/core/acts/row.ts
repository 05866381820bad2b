import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { Bot } from '../bot.ts';
import type { ShownEvent } from '../channels/exclude.ts';
import type { Act, AnyRequest, RequestOf } from '../model/any-request.ts';
import type { Exclusion } from '../model/filters.ts';
import type { Request } from '../model/request.ts';
import type { WorkspaceSettings } from '../model/settings.ts';
import type { SubscribeOptions } from '../subscribing/allowed-request.ts';

/**
 * What a person needs, from least to most. `member`: to be a full member of the workspace, within the rate limit. `see`: to be in the channel.
 * `change`: also to be allowed by the admins' settings. Who needs a link is asked for it by the use case that uses the account.
 */
type Needs = 'nothing' | 'member' | 'see' | 'change' | 'admin';

/** What an act can be about besides the person and the channel. It is found where it is stored before the act runs. */
type Subjects = {
  readonly subscription: Subscription;
  readonly exclusion: Exclusion;
  readonly event: ShownEvent;
};
export type Subject = 'person' | 'channel' | keyof Subjects;

/** What an act is given: what it is about, or the request itself. */
export type What<A extends Act, Of extends Subject> = Of extends keyof Subjects ? Subjects[Of] : RequestOf<A>;

/** Where something was pressed. */
export type Pressed = {
  /** The message with the button, or the one that was pointed at; null if it is in a view. */
  readonly messageTs: string | null;
  /** Whether the bot posted that message. */
  readonly isMine: boolean;
  /** Whether everyone in the channel sees that message. */
  readonly inPublicMessage: boolean;
  /** The `block_id` of the button, which names the page of a list or Home tab if it is a row's. */
  readonly row: string;
  /** The form or Home tab that holds the button; null if a message does. `hash`: of what it showed then. */
  readonly view: {
    readonly id: string;
    readonly type: string;
    readonly private_metadata: string;
    readonly hash: string;
  } | null;
};

/** How something was asked for. */
export type How = {
  readonly pressed?: Pressed | undefined;
  /** The question that it answers, which goes once it turns out that the person may do it. */
  readonly question?: Pressed | undefined;
  /** Of a request to subscribe. */
  readonly options?: SubscribeOptions | undefined;
};

/** Another request that a request leads to. It is carried out with checks of its own. */
export type Next = Omit<How, 'pressed'> & {
  readonly context: CommandContext;
  readonly request: AnyRequest;
  /** Notes that it was carried out, or could not be. */
  readonly done?: () => Promise<void>;
};

/** The row of an act in the table. Its functions are methods only so that TypeScript accepts any row for any act. */
export type Row<A extends Act = Act, Of extends Subject = Subject> = {
  readonly needs: Needs;
  /** What a person needs for this request, if that is less. */
  needsFor?(request: RequestOf<A>): Needs;
  readonly about: Of;
  /** What an admin is asked to allow if the person may not do it. Without it, nobody is asked. */
  asks?(what: What<A, Of>, request: RequestOf<A>): Request;
  /** What shows the result. */
  readonly redraws?: 'list' | 'home' | 'workspace';
  run(
    bot: Bot,
    context: CommandContext,
    what: What<A, Of>,
    how: How & { readonly request: RequestOf<A>; readonly settings?: WorkspaceSettings | undefined },
  ): Promise<void> | Promise<Next | null>;
};
export type AnyRow<A extends Act> = { [Of in Subject]: Row<A, Of> }[Subject];
