/** mcp-lite has no client, so its handler is called with a web request. */
import { StreamableHttpTransport } from 'mcp-lite';
import { echo, request, SESSION_ERA } from '../../wire.ts';
import { setup, type ToolResult, textOf } from '../../work.ts';
import { memoryUnderTest } from '../memory-under-test.ts';
import { quay } from './server.ts';

const handler = new StreamableHttpTransport().bind(quay(setup()));
const headers = {
  'content-type': 'application/json',
  accept: 'application/json',
  'mcp-protocol-version': SESSION_ERA,
};
let last = 0;

memoryUnderTest(async (message) => {
  const body = request(++last, echo(message), 'session');
  const response = await handler(new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body }));
  const { result } = (await response.json()) as { result: ToolResult }; // checked by textOf
  return textOf(result);
});
