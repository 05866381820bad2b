import { faultOf } from '../../src/core/linking/prove-person.ts';
import {
  canceledPage,
  type InstallProblem,
  installedPage,
  installProblemPage,
} from '../../src/http/pages/install-pages.ts';
import {
  askPage,
  codePage,
  type LinkPageFacts,
  linkedPage,
  newLinkPage,
  workingPage,
} from '../../src/http/pages/link-pages.ts';
import { type Problem, problemPage } from '../../src/http/pages/problem-page.ts';
import { describeOAuthError, oauthErrorKind } from '../../src/service/token-answer.ts';

/** A complete page that the bot serves to a browser. */
export type PageCase = { readonly title: string; readonly page: string };

const asker = { personName: 'dana', workspaceName: 'Acme' };
const linking: LinkPageFacts = {
  account: 'dana.ek@example.com',
  asker,
  place: { teamId: 'T0ACME001', channelId: 'C0PLANS001' },
  serviceName: 'Planroom',
};
const unnamed: LinkPageFacts = { ...linking, account: null, asker: null };
const reference = 'k7m2qx';
const startUrl = 'https://bot.example.com/slack/install';
const installer = { appId: 'A0PLANCAST', userId: 'U0ADAADMIN' };

/** One example of each sentence about what the service can answer instead of a code, as far as the page shows it. */
const oauthErrors = [
  'invalid_scope',
  'invalid_client',
  'invalid_request',
  'state_mismatch',
  'unreadable_callback',
  'user_cancelled',
];

type More = { readonly reference?: string };

/** Every problem, enforced by the compiler. */
const linkProblems: Readonly<Record<Problem, More>> = {
  unknown: {},
  expired: {},
  used: {},
  replaced: {},
  limited: {},
  ended: {},
  stray: {},
  denied: {},
  refused: {},
  'not-set-up': {},
  'code-expired': {},
  unavailable: {},
  'not-a-member': {},
  'other-account': {},
  'foreign-form': {},
  method: {},
  failure: { reference },
};
const installProblems: Readonly<Record<InstallProblem, More>> = {
  'no-code': {},
  unknown: {},
  expired: {},
  foreign: {},
  used: {},
  refused: {},
  unavailable: {},
  method: {},
  failure: { reference },
};

/** Every page of linking and installing. */
export const pageGroups: readonly { readonly name: string; readonly cases: readonly PageCase[] }[] = [
  {
    name: 'Link pages',
    cases: [
      {
        title: 'Link page: before signing in',
        page: askPage({ asker, serviceName: 'Planroom', scopes: ['full_user'] }),
      },
      { title: 'Link page: linked', page: linkedPage(linking) },
      { title: 'Link page: linked, names not known', page: linkedPage(unnamed) },
      { title: 'Link page: the code', page: codePage({ ...linking, code: 'K7M2QX', minutes: 5 }) },
      {
        title: 'Link page: the code, names not known',
        page: codePage({ ...unnamed, code: 'K7M2QX', minutes: 1 }),
      },
      { title: 'Link page: the sign-in is being finished', page: workingPage() },
      { title: 'Link page: a new link was sent', page: newLinkPage() },
      ...entriesOf(linkProblems).map(([problem, more]) => ({
        title: `Link problem: ${problem}`,
        page: problemPage(problem, more).text,
      })),
      ...oauthErrors.map((error) => ({
        title: `Link problem: the service answers ${error}`,
        page: problemPage(faultOf(oauthErrorKind(error)), { detail: describeOAuthError(error, 'Planroom') })
          .text,
      })),
    ],
  },
  {
    name: 'Install pages',
    cases: [
      {
        title: 'Install page: installed to a workspace',
        page: installedPage({ kind: 'workspace', id: 'T0ACME001', name: 'Acme', ...installer }),
      },
      {
        title: 'Install page: installed for an organization',
        page: installedPage({ kind: 'organization', id: 'E0ACME001', name: 'Acme Group', ...installer }),
      },
      { title: 'Install page: canceled', page: canceledPage({ startUrl }) },
      ...entriesOf(installProblems).map(([problem, more]) => ({
        title: `Install problem: ${problem}`,
        page: installProblemPage(problem, { startUrl, ...more }).text,
      })),
    ],
  },
];

function entriesOf<K extends string, V>(record: Readonly<Record<K, V>>): [K, V][] {
  return Object.entries(record) as [K, V][];
}
