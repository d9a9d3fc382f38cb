/** Limits on reading HTTP responses. */
import { expect, test } from 'vitest';
import { FakeWeb, OpenStream, stateless } from '../../../test/support/fake-web.ts';
import type { Client } from '../../client/index.ts';
import { connect } from '../../connect/connect.ts';

const opened = (web: FakeWeb): Promise<Client> => connect('https://a.example/mcp', { fetch: web.fetch });

test('at most 64 KiB of the body of an error are read', async () => {
  const endless = new OpenStream('x'.repeat(64 * 1024 + 1));
  const web = new FakeWeb(stateless(() => new Response(endless.response.body, { status: 500 })));
  await using client = await opened(web);
  await expect(client.call('t')).rejects.toMatchObject({ code: 'MCP_HTTP_FAILED', details: { status: 500 } });
  expect(web.asked.at(-1)?.signal.aborted).toBe(true);
});

test('a response that is not UTF-8 is malformed', async () => {
  const bytes = Buffer.from('{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"\xff"}]}}', 'latin1');
  const web = new FakeWeb(stateless(() => new Response(bytes, { headers: { 'content-type': 'application/json' } })));
  await using client = await opened(web);
  await expect(client.call('t')).rejects.toMatchObject({
    code: 'MCP_BAD_RESULT',
    details: { why: 'it is not UTF-8' },
  });
});
