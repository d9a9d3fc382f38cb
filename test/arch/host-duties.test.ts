/** Duties that only authors of hosts can fulfill, which the documentation must name. */
import { expect, test } from 'vitest';
import { textOf } from '../support/source.ts';
import { verifies } from '../support/verifies.ts';

const page = textOf('docs/guide/host-models.md').replace(/\s+/g, ' ');

test('tells where a page may be opened', () => {
  verifies('ELIC-59', 'HOST-38');
  expect(page).toContain(
    "Open it in the user's own browser, where neither this program nor a model can see the page or what is entered there",
  );
  expect(page).toContain('never in a web view of your own, and never through a shell');
});

test('tells that roots protect nothing', () => {
  verifies('ROOT-22', 'HOST-29');
  expect(page).toContain('Roots are information, not access control');
  expect(page).toContain('a server can read whatever its process can read');
});

test('tells that a fence around text makes no model immune', () => {
  verifies('HOST-29');
  expect(page).toContain('it does not make a model immune');
});

test('tells what to show while a tool is running, and when it is cancelled', () => {
  expect(page).toContain('Show which tool is running from its `tool-start` to its `tool-result`');
  expect(page).toContain('When the user cancels a run, show that at once');
});

test('tells how pages are listed, how a browser is started, and what a host that is a page sets', () => {
  verifies('HOST-39', 'SEC-042');
  expect(page).toContain('list them and deny the rest');
  expect(page).toContain("with the platform's own command, with the URL as one argument");
  expect(page).toContain("`Content-Security-Policy` with `default-src 'self'` and `script-src 'self'`");
});

test('tells what code of a model may do where an application runs it', () => {
  verifies('HOST-45');
  expect(page).toContain('`session.call` must be the only way out of its sandbox');
  expect(page).toContain('Each call then passes the same rules, the same consent and the same audit as any other');
  expect(page).toContain('Give the sandbox no credentials, no network and no files');
  expect(page).toContain(
    'Limit its time, its memory, its calls (`rules.budget`) and how much of its output a model reads',
  );
});
