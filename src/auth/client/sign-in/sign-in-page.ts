/** What the tab shows in the end: plain words, no scripts, and nothing of what came with the address. */
const page = (title: string, text: string): string =>
  `<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>${title}</title>\n<h1>${title}</h1>\n<p>${text}</p>\n</html>\n`;

type PageKind = 'done' | 'failed' | 'over' | 'stray' | 'elsewhere';

export const pages: Readonly<Record<PageKind, string>> = {
  done: page('Thank you', 'You may close this window and go back to the application.'),
  failed: page('Not signed in', 'The application was told why. You may close this window.'),
  over: page('Too late', 'Nobody waits for this answer any more. You may close this window.'),
  stray: page('Not expected', 'This answer belongs to no sign-in that was begun here. You may close this window.'),
  elsewhere: page('Nothing here', 'You may close this window.'),
};

/** The address holds a code: it stays out of caches, out of other pages' sight, and out of what a page could load. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  connection: 'close',
};
