/** Tests what the user is shown of a URL before connecting, and which credentials are sent to it. */
import { expect, test } from 'vitest';
import type { HttpAuth } from '../../model/auth.ts';
import { Masks } from '../../model/secrets.ts';
import type { UrlSource } from '../config/source.ts';
import { processKey } from './fingerprint.ts';
import { planUrl } from './plan-url.ts';
import type { ServerPlan } from './server-plan.ts';

const fingerprintKey = processKey();

async function planned(source: UrlSource) {
  const masks = new Masks();
  const http = (): HttpAuth => ({ headers: () => undefined, onChallenge: () => false });
  const auth = Object.assign(http, { extensions: ['example/sign-in'] });
  const secrets = async (): Promise<string> => 'kept-secret-4711';
  const plan: ServerPlan = await planUrl(source, {
    ...{ label: 'shop', masks, auth, sandbox: undefined, connect: {}, fingerprintKey },
    lookups: { env: {}, userHome: '/home/ada', cwd: '/work', secrets, inputs: undefined },
    log: { stderr: () => undefined, write: () => undefined },
  });
  return { plan, masks };
}

test('a URL with look-alike letters or without https gets a warning', async () => {
  const warningsOf = async (url: string): Promise<readonly string[]> => (await planned({ url })).plan.warnings;
  expect(await warningsOf('https://xn--pple-43d.example/mcp')).toEqual([expect.stringContaining('look like others')]);
  expect(await warningsOf('http://shop.example/mcp')).toEqual([expect.stringContaining('not https')]);
  expect(await warningsOf('http://127.0.0.1:1/mcp')).toEqual([]);
  expect(await warningsOf('https://shop.example/mcp')).toEqual([]);
});

test('an approval of a URL is bound to its headers', async () => {
  const url = 'https://shop.example/mcp';
  const definitionOf = async (headers: UrlSource['headers']): Promise<string | undefined> =>
    (await planned({ url, headers })).plan.act.definition;
  expect(await definitionOf({ 'X-Mode': 'read' })).toBe(await definitionOf({ 'x-mode': 'read' }));
  expect(await definitionOf({ 'X-Mode': 'read' })).not.toBe(await definitionOf({ 'X-Mode': 'write' }));
});

test('the value of a header is masked in logs, without its scheme', async () => {
  const { plan, masks } = await planned({
    url: 'https://shop.example/mcp',
    headers: { Authorization: { template: 'bearer abcdef-4711' } },
  });
  await plan.resolve();
  expect(masks.mask('it was abcdef-4711')).not.toContain('abcdef-4711');
});

test('a URL with an Authorization header does not also use auth', async () => {
  const url = 'https://shop.example/mcp';
  const declared = async (headers: UrlSource['headers']): Promise<unknown> =>
    (await (await planned({ url, headers })).plan.resolve()).extensions;
  expect(await declared({ 'x-mode': 'read' })).toEqual({ 'example/sign-in': {} });
  expect(await declared({ Authorization: 'Bearer abcdef-4711' })).toBeUndefined();
});

test('a question before connecting names the variables and secrets that the headers contain', async () => {
  const headers = {
    'x-trace': { template: `Bearer \${AWS_SECRET_ACCESS_KEY}` },
    'x-more': { template: `\${userHome} \${env:TOKEN:-none} \${secret:kept}` },
    'x-kept': { secret: 'kept' },
    'x-plain': 'text',
  };
  const { plan } = await planned({ url: 'https://shop.example/mcp', headers });
  expect(plan.warnings).toEqual(['It gets values of yours: AWS_SECRET_ACCESS_KEY, TOKEN, secret:kept.']);
});
