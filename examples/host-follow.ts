/**
 * Servers that come and go while the host runs: by hand, and with a configuration file.
 *
 *   npx tsx examples/host-follow.ts
 */
import { strict as assert } from 'node:assert';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, tool } from 'mooring';
import { createHost, rules, writeConfig } from 'mooring/host';

const shop = createServer({ name: 'shop', version: '1.0.0', parts: [tool({ name: 'orders', run: () => 'A-1041' })] });
const folder = await mkdtemp(join(tmpdir(), 'mooring-follow-'));
const file = join(folder, 'mcp.json');
const seen: string[] = [];

await writeConfig(file, 'mail', { url: 'https://mail.example.test/mcp' });
await using host = createHost({ servers: {}, policy: [rules.allow({ server: 'shop' })] });
await using session = host.session();

// #region follow
host.servers.onChange(({ kind, label }) => seen.push(`${kind} ${label}`));
host.servers.add('shop', shop);
await host.servers.follow(file);
// #endregion

assert.equal((await session.call('shop.orders')).text, 'A-1041');
await writeConfig(file, 'diary', { url: 'https://diary.example.test/mcp' });
await writeConfig(file, 'mail', 'remove');
while (host.servers.has('mail')) await new Promise((resolve) => void setTimeout(resolve, 10));
await host.servers.disable('shop');
await assert.rejects(session.call('shop.orders'));
await host.servers.remove('shop');

console.log(seen.join(', '));
assert.deepEqual([...host.servers.keys()], ['diary']);
await host.close();
await rm(folder, { recursive: true });
