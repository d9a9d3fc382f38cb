/** Nothing here calls home: every address in the code is one that a user chose, an example, or a name that is never looked up. */
import { expect, test } from 'vitest';
import { codeOf, sourceFiles, textOf } from '../support/source.ts';
import { verifies } from '../support/verifies.ts';

/** Spoken to by those who chose a model there. */
const providers = ['api.anthropic.com', 'api.openai.com'];
/** Names of dialects and namespaces, and a link for people. */
const names = ['json-schema.org', 'modelcontextprotocol.io', 'www.w3.org'];
/** Printed by `mooring install --link`, for a README; nothing here opens them. */
const links = ['cursor.com', 'img.shields.io', 'vscode.dev'];

test('the only addresses in the code are those of providers of models, names, links, examples and this machine', () => {
  verifies('HOST-31', 'SEC-004');
  const hosts = sourceFiles().flatMap((file) =>
    [...codeOf(file).matchAll(/\b(?:https?|wss?):\/\/([\w-]+(?:\.[\w-]+)+)/g)].map(([, host = '']) => host),
  );
  const own = hosts.filter((host) => !/^127\.|\.example$|^example\.com$/.test(host));
  expect([...new Set(own)].sort()).toEqual([...providers, ...names, ...links].sort());
});

test('what is kept of users, what is protected and what is not, is written down', () => {
  verifies('HOST-31', 'SEC-004');
  const page = textOf('docs/explain/security.md').replace(/\s+/g, ' ');
  expect(page).toContain(
    'There is no telemetry and no check for updates. Mooring contacts only the URLs that you configure',
  );
  expect(page).toContain('An audit log contains names, decisions and arguments with secrets masked, and no results');
  expect(page).toContain('## What this does not do');
});
