/** What a client remembers of tools that want arguments repeated in headers. */
import { expect, test } from 'vitest';
import { request } from '../../jsonrpc/message.ts';
import { Mirrors } from './mirrors.ts';

const inputSchema = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } };
const headers = (mirrors: Mirrors, name: string): Record<string, string> =>
  mirrors.headersOf(request(1, 'tools/call', { name, arguments: { region: 'eu' } }));

test('a server that names other tools in every list fills 10,000 places and no more', () => {
  const mirrors = new Mirrors(() => undefined);
  for (let at = 0; at <= 10_000; at++) mirrors.learn({ tools: [{ name: `tool${at}`, inputSchema }] });
  expect(headers(mirrors, 'tool0')).not.toHaveProperty('mcp-param-region');
  expect(headers(mirrors, 'tool1')).toHaveProperty('mcp-param-region', 'eu');
  expect(headers(mirrors, 'tool10000')).toHaveProperty('mcp-param-region', 'eu');
});
