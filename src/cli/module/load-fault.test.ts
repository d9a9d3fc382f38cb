import { expect, test } from 'vitest';
import { badDefinition } from '../../errors.ts';
import { loadFault, withPlace } from './load-fault.ts';

const shell = { cwd: '.', self: { command: process.execPath, args: [] } };
/** An error whose stack contains none of our files. */
const error = (message: string): Error => Object.assign(new Error(message), { stack: `Error: ${message}` });
const failed = { argument: './a.ts', file: 'a.ts' };

test('TypeScript without anything that loads it names what to install', () => {
  const thrown = Object.assign(new TypeError('Unknown file extension ".ts"'), { code: 'ERR_UNKNOWN_FILE_EXTENSION' });
  expect(loadFault(thrown, failed, shell).message).toContain(
    './a.ts: this version of Node cannot load TypeScript; run `npm i -D tsx`',
  );
});

test('a compiler is quoted without its frame', () => {
  const thrown = error('Transform failed with 1 error:\n/nowhere/a.ts:1:17: ERROR: Unexpected ";"');
  expect(loadFault(thrown, failed, shell).message).toBe('./a.ts: the module failed while loading: Unexpected ";"');
});

test('a module that is wanted and missing is told with who wants it', () => {
  const thrown = error("Cannot find package 'zod' imported from a.ts");
  expect(loadFault(thrown, failed, shell).message).toContain(
    'the module failed while loading at a.ts: Cannot find package',
  );
});

test('an invalid definition is reported with its first line outside of node_modules', () => {
  const thrown = badDefinition('tool({ name, run })', 'expected one object');
  const url = import.meta.url;
  const packed = new URL('../../../node_modules/vitest/package.json', url).href;
  thrown.stack = `McpError: x\n    at badDefinition (${packed}:1:2)\n    at ${url}:5:15\n    at ${url}:9:1`;
  expect(withPlace(thrown, process.cwd())).toMatchObject({
    code: 'MCP_BAD_DEFINITION',
    message: 'src/cli/module/load-fault.test.ts:5:15: tool({ name, run }): expected one object',
  });
});
