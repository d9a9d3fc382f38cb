/** Duties that only the author of a host can fulfil: proven by the page that tells them. */
import { expect, test } from 'vitest';
import { textOf } from '../support/source.ts';
import { verifies } from '../support/verifies.ts';

const page = textOf('docs/guide/host-models.md').replace(/\s+/g, ' ');

test('tells where a page may be opened', () => {
  verifies('ELIC-59', 'HOST-38');
  expect(page).toContain(
    "Open it in the user's own browser, where neither this program nor a model can look at the page",
  );
  expect(page).toContain('never in a view of your own, and never through a shell');
});

test('tells that roots protect nothing', () => {
  verifies('ROOT-22', 'HOST-29');
  expect(page).toContain('Roots are information, not access control');
  expect(page).toContain('a server reads whatever its process may read, shown or not');
});

test('tells that a fence around text makes no model immune', () => {
  verifies('HOST-29');
  expect(page).toContain('it does not make a model immune');
});

test('tells what to show while a tool is at work, and when it is called off', () => {
  expect(page).toContain('Show which tool is at work from its `tool-start` to its `tool-result`');
  expect(page).toContain('When the user calls a run off, show that at once');
});

test('tells how pages are listed, how a browser is started, and what a host that is a page sets', () => {
  verifies('HOST-39', 'SEC-042');
  expect(page).toContain('list them and deny the rest');
  expect(page).toContain('by the means of the platform, with the address as one argument');
  expect(page).toContain("`Content-Security-Policy` with `default-src 'self'` and `script-src 'self'`");
});

test('tells what code of a model may do where an application runs it', () => {
  verifies('HOST-45');
  expect(page).toContain('`session.call` is the only way out of its sandbox');
  expect(page).toContain('passes the same rules, the same consent and the same audit as any other, one by one');
  expect(page).toContain('Give the sandbox no credentials, no network and no files');
  expect(page).toContain('limit its time, its memory, its calls (`rules.budget`) and what of its output a model gets');
});
