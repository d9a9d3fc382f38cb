/** A process whose history gets 100,000 messages. Prints what they take, and how long a page and a search take. */
import process from 'node:process';
import { request } from '../../src/jsonrpc/message.ts';
import { History } from '../../src/workbench/history.ts';

const history = new History({ row: () => undefined, span: () => undefined });
const text = 'lorem ipsum '.repeat(40);
const used = (): number => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};
const before = used();
for (let id = 1; id <= 50_000; id++) {
  const asked = request(id, 'tools/call', { name: `tool-${id % 50}`, arguments: { text, id } });
  history.add({ server: 'shop', at: id, side: '>', message: asked, masked: asked });
  const message = { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } } as const;
  history.add({ server: 'shop', at: id + 1, side: '<', message, masked: message, answers: { request: asked, ms: 1 } });
}
const grown = used() - before;
const timed = (run: () => unknown): number => {
  const since = performance.now();
  run();
  return performance.now() - since;
};
const searchMs = timed(() => history.page({ text: '"id":49999' }, 0, 10));
const pageMs = timed(() => history.page({}, 50_000, 100));
console.log(JSON.stringify({ rows: history.page({}, 0, 1).total, megabytes: grown / 1024 / 1024, searchMs, pageMs }));
