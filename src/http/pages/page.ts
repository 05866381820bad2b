import { type Html, html } from './html.ts';
import { style } from './style.ts';

/** A whole page. `title` is what it is called and its one heading; it stands before the bot's name in the browser's tab. */
export function page({ title, body }: { readonly title: string; readonly body: Html }): string {
  // The stylesheet goes in as it is: escaped, its hash would not be the one in the policy.
  const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<style>${style}</style>`;
  const rest = html`
<title>${title} · Plancast</title>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
<footer>Plancast tells a team what happens to its plans.</footer>
</body>
</html>
`;
  return head + rest.text;
}
