/** The limit of a client and a server in one process: serializes and parses both messages. */
import { type ToolResult, textOf } from '../../work.ts';
import { memoryUnderTest } from '../memory-under-test.ts';

interface Asked {
  readonly id: number;
  readonly params: { readonly arguments: { readonly message: string } };
}

let last = 0;

memoryUnderTest(async (message) => {
  const params = { name: 'echo', arguments: { message } };
  const asked = JSON.parse(JSON.stringify({ jsonrpc: '2.0', id: ++last, method: 'tools/call', params })) as Asked; // as written
  const result = { content: [{ type: 'text', text: asked.params.arguments.message }] };
  const response = JSON.parse(JSON.stringify({ jsonrpc: '2.0', id: asked.id, result })) as { result: ToolResult }; // as written
  return textOf(response.result);
});
