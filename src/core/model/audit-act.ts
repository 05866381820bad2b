/** What an action was about. `changes`: the title of each setting that it changed, with its words before and after. */
export type AuditDetail = {
  readonly changes?: readonly { readonly title: string; readonly before: string; readonly after: string }[];
  readonly events?: string;
};
