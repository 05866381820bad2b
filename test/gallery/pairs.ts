/** Something that Plancast already showed in the first commit that kept its messages as data, and what it shows now. */
export type Pair = {
  readonly group: string;
  readonly title: string;
  /** Names of the two pictures. */
  readonly before: string;
  readonly now: string;
};

/** The pairs on the before-and-after pages, in order. */
export const pairs: readonly Pair[] = [
  { group: 'Single events', title: 'A file added', before: 'a-file-added', now: 'a-file-added' },
  { group: 'Single events', title: 'A folder added', before: 'a-folder-added', now: 'a-folder-added' },
  { group: 'Single events', title: 'A file renamed', before: 'a-file-renamed', now: 'a-file-renamed' },
  { group: 'Single events', title: 'A file moved', before: 'a-file-moved', now: 'a-file-moved' },
  {
    group: 'Single events',
    title: 'A new version of a file',
    before: 'a-new-version-of-a-file',
    now: 'a-new-version-of-a-file',
  },
  {
    group: 'Single events',
    title: 'A file updated, no more is known',
    before: 'a-file-updated-no-more-is-known',
    now: 'a-file-updated-no-more-is-known',
  },
  { group: 'Single events', title: 'A file deleted', before: 'a-file-deleted', now: 'a-file-deleted' },
  {
    group: 'Single events',
    title: 'A project renamed',
    before: 'a-project-renamed',
    now: 'a-project-renamed',
  },
  {
    group: 'Single events',
    title: 'A session changed',
    before: 'a-session-changed',
    now: 'a-session-changed',
  },
  {
    group: 'Single events',
    title: 'A document added to a session',
    before: 'a-document-added-to-a-session',
    now: 'a-document-added-to-a-session',
  },
  {
    group: 'Single events',
    title: 'By an email address Slack does not know',
    before: 'by-an-email-address-slack-does-not-know',
    now: 'by-an-email-address-slack-does-not-know',
  },
  { group: 'Single events', title: 'Posted late', before: 'posted-late', now: 'posted-late' },
  {
    group: 'Single events',
    title: 'A followed session deleted',
    before: 'a-followed-session-deleted',
    now: 'a-followed-session-deleted',
  },
  {
    group: 'Bursts and digests',
    title: 'An upload of 24 files',
    before: 'an-upload-of-24-files',
    now: 'an-upload-of-24-files',
  },
  { group: 'Bursts and digests', title: 'A busy minute', before: 'a-busy-minute', now: 'a-busy-minute' },
  { group: 'Bursts and digests', title: 'A daily digest', before: 'a-daily-digest', now: 'a-daily-digest' },
  {
    group: 'Bursts and digests',
    title: 'After a mute, with something skipped',
    before: 'after-a-mute-with-something-left-out',
    now: 'after-a-mute-with-something-skipped',
  },
  {
    group: 'Announcements',
    title: 'Subscribed to a project',
    before: 'subscribed-to-a-project',
    now: 'subscribed-to-a-project',
  },
  {
    group: 'Announcements',
    title: 'Subscribed with filters and a digest',
    before: 'subscribed-with-filters-and-a-digest',
    now: 'subscribed-with-filters-and-a-digest',
  },
  {
    group: 'Announcements',
    title: 'A subscription changed',
    before: 'a-subscription-changed',
    now: 'a-subscription-changed',
  },
  {
    group: 'Announcements',
    title: 'Paused: not in channel',
    before: 'paused-not-in-channel',
    now: 'paused-not-in-channel',
  },
  { group: 'Announcements', title: 'Paused by a member', before: 'given-a-rest', now: 'paused-by-a-member' },
  {
    group: 'Linking',
    title: 'Not linked yet, and something was typed',
    before: 'not-linked-yet-and-something-was-typed',
    now: 'not-linked-yet-and-something-was-typed',
  },
  {
    group: 'Answers and errors',
    title: 'A word not understood',
    before: 'a-word-not-understood',
    now: 'a-word-not-understood',
  },
  { group: 'Answers and errors', title: 'A word missing', before: 'a-word-missing', now: 'a-word-missing' },
  {
    group: 'Answers and errors',
    title: 'Covered already',
    before: 'covered-already',
    now: 'covered-already',
  },
  {
    group: 'Answers and errors',
    title: 'The service refuses',
    before: 'the-service-refuses',
    now: 'the-service-refuses',
  },
  {
    group: 'Answers and errors',
    title: 'Something broke',
    before: 'something-broke',
    now: 'something-broke',
  },
  {
    group: 'Answers and errors',
    title: 'The doctor, all good',
    before: 'the-doctor-all-well',
    now: 'the-doctor-all-good',
  },
  { group: 'Lists, forms and Home', title: 'The list', before: 'the-list', now: 'the-list' },
  {
    group: 'Lists, forms and Home',
    title: 'The form, just opened',
    before: 'the-form-for-any-channel',
    now: 'the-form-just-opened',
  },
  {
    group: 'Lists, forms and Home',
    title: 'The form, filled in, already covered',
    before: 'the-form-filled-in-with-something-wider-followed-already',
    now: 'the-form-filled-in-already-covered',
  },
  {
    group: 'Lists, forms and Home',
    title: 'Home, not linked yet',
    before: 'home-not-linked-yet',
    now: 'home-not-linked-yet',
  },
  {
    group: 'Lists, forms and Home',
    title: 'Home, linked, no subscriptions yet',
    before: 'home-linked-following-nothing-yet',
    now: 'home-linked-no-subscriptions-yet',
  },
  {
    group: 'Lists, forms and Home',
    title: 'Home, a few subscriptions',
    before: 'home-second-page-of-three',
    now: 'home-a-few-subscriptions',
  },
  {
    group: 'Link pages',
    title: 'Link page: before signing in',
    before: 'link-page-before-signing-in',
    now: 'link-page-before-signing-in',
  },
  {
    group: 'Link pages',
    title: 'Link page: the code',
    before: 'link-page-the-code',
    now: 'link-page-the-code',
  },
  { group: 'Link pages', title: 'Link page: linked', before: 'link-page-linked', now: 'link-page-linked' },
  {
    group: 'Link pages',
    title: 'Link problem: expired',
    before: 'link-problem-expired',
    now: 'link-problem-expired',
  },
];
