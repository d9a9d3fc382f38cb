/** No telemetry: every URL in the code is chosen by the user, an example, or an identifier that is never requested. */
import { expect, test } from 'vitest';
import { codeOf, sourceFiles, textOf } from '../support/source.ts';
import { verifies } from '../support/verifies.ts';

/** Used only if the user chose a model there. */
const providers = ['api.anthropic.com', 'api.openai.com'];
/** Identifiers of schema dialects and namespaces, and a link for users. */
const names = ['json-schema.org', 'modelcontextprotocol.io', 'www.w3.org'];
/** Printed by `mooring install --link` for a README, and never requested. */
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
