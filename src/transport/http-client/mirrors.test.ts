/** How many tools with header parameters a client remembers. */
import { expect, test } from 'vitest';
import { request } from '../../jsonrpc/message.ts';
import { Mirrors } from './mirrors.ts';

const inputSchema = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } };
const headers = (mirrors: Mirrors, name: string): Record<string, string> =>
  mirrors.headersOf(request(1, 'tools/call', { name, arguments: { region: 'eu' } }));

test('a client remembers the headers of at most 10,000 tools', () => {
  const mirrors = new Mirrors(() => undefined);
  for (let at = 0; at <= 10_000; at++) mirrors.learn({ tools: [{ name: `tool${at}`, inputSchema }] });
  expect(headers(mirrors, 'tool0')).not.toHaveProperty('mcp-param-region');
  expect(headers(mirrors, 'tool1')).toHaveProperty('mcp-param-region', 'eu');
  expect(headers(mirrors, 'tool10000')).toHaveProperty('mcp-param-region', 'eu');
});
