import { expect, test } from 'vitest';
import { nameFor } from './name.ts';

test.each([
  ['filesystem', ['npx', '-y', '@modelcontextprotocol/server-filesystem@1.2.3', '.']],
  ['git', ['uvx', 'mcp-server-git', '--repository', '/x']],
  ['github', ['docker', 'run', '-i', '--rm', 'ghcr.io/github/github-mcp-server']],
  ['shop', ['node', './shop/dist/index.js']],
  ['orders', ['./orders.ts']],
  ['orders', ['C:\\work\\orders\\server.js']],
  ['example', ['https://mcp.example.com/mcp']],
  ['localhost', ['http://localhost:3000/mcp']],
  ['local', ['http://127.0.0.1:3000/mcp']],
  ['host-192.0.2.7', ['http://192.0.2.7/mcp']],
  ['server', ['./server.ts']],
])('nameFor() derives the name %s from %j', (name, words) => {
  expect(nameFor(words)).toBe(name);
});
