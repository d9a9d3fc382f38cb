import { expect, test } from 'vitest';
import { McpError } from './errors.ts';

const details = { what: 'a', why: 'b' };

test('an McpError without a cause has no "cause" member, which would be printed', () => {
  expect(new McpError('MCP_BAD_DEFINITION', details, { cause: undefined })).not.toHaveProperty('cause');
});

test('an McpError has the cause that it is given', () => {
  expect(new McpError('MCP_BAD_DEFINITION', details, { cause: 0 }).cause).toBe(0);
});
