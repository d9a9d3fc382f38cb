/** Sandboxed upstreams of a gateway on Linux: what they can do, what is recorded, and a gateway in a sandbox. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../../src/connect/index.ts';
import { createGateway, gatewayRules } from '../../src/gateway/index.ts';
import { bubblewrap, createHost, memoryAudit, rules } from '../../src/host/index.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { systemProgram } from '../support/system-program.ts';
import { verifies } from '../support/verifies.ts';

const prying = fileURLToPath(new URL('../fixtures/host/prying.mjs', import.meta.url));
const program = fileURLToPath(new URL('../../.cache/fixtures/serve-gateway.mjs', import.meta.url));

describe.runIf(process.platform === 'linux')('a gateway that starts servers', () => {
  const outside = createServer().listen(0, '127.0.0.1');
  let folder: string;
  beforeAll(async () => {
    systemProgram('bubblewrap', ['bwrap'], 'bubblewrap');
    folder = await mkdtemp(join(process.cwd(), '.cache', 'gateway-sandbox-'));
    await writeFile(join(folder, 'secret.txt'), 'do not read me');
  }, 300_000);
  afterAll(async () => {
    outside.close();
    await rm(folder, { recursive: true });
  });

  const target = (what: string): JsonObject => {
    const address = outside.address();
    return { what, path: join(folder, 'secret.txt'), port: typeof address === 'object' ? address?.port : 0 };
  };

  test('runs them in a sandbox, records what is called, and asks its callers before what a rule says', async () => {
    verifies('HOST-40', 'SEC-044');
    const audit = memoryAudit();
    const server = { command: process.execPath, args: [prying], cwd: dirname(prying) };
    await using gateway = createGateway({
      name: 'acme',
      version: '1',
      upstreams: { nothing: server, granted: server, dangerous: server },
      sandbox: bubblewrap({ granted: { read: [folder] } }),
      policy: [gatewayRules.ask({ server: 'dangerous' }), gatewayRules.allow({})],
      audit: { to: audit },
      onWarning: () => undefined,
    });
    const asked: string[] = [];
    await using client = await connect(gateway, {
      elicit: ({ message }) => {
        asked.push(message);
        return { action: 'decline' };
      },
    });
    expect((await client.call('nothing__try', target('read'))).text).toMatch(/ENOENT/);
    expect((await client.call('nothing__try', target('write'))).text).toMatch(/ENOENT|EROFS|EACCES/);
    expect((await client.call('nothing__try', target('send'))).text).toMatch(/ECONNREFUSED|ENETUNREACH/);
    expect((await client.call('granted__try', target('read'))).text).toBe('do not read me');
    await client.call('dangerous__try', target('read')).catch(() => undefined);
    expect(asked).toHaveLength(1);
    expect(JSON.stringify(audit.records)).toContain('nothing');
  });

  test('runs in a sandbox itself, where its only way to the client is a pipe', async () => {
    verifies('SEC-045');
    await using host = createHost({
      servers: {
        gateway: {
          command: process.execPath,
          args: [program],
          cwd: dirname(program),
          env: { UPSTREAMS: JSON.stringify({ dock: { fixture: 'harbour', revision: '2025-11-25' } }) },
        },
        // A program that reports what it can do in the same sandbox.
        probe: { command: process.execPath, args: [prying], cwd: dirname(prying) },
      },
      policy: [rules.allow({})],
      sandbox: bubblewrap(),
    });
    await using session = host.session();
    expect((await session.call('gateway.dock__weigh', { crates: [1, 2] })).text).toContain('3');
    expect((await session.call('probe.try', target('read'))).text).toMatch(/ENOENT/);
    expect((await session.call('probe.try', target('send'))).text).toMatch(/ECONNREFUSED|ENETUNREACH/);
  });
});
