import { expect, test } from 'vitest';
import { modelRequest } from './sampling-messages.ts';

test('a tool that a server gives to the model names no dialect where it is the default', () => {
  const inputSchema = { type: 'object', properties: {} } as const;
  const tools = ['https://json-schema.org/draft/2020-12/schema', 'http://json-schema.org/draft-07/schema#'].map(
    ($schema, i) => ({ name: `t${i}`, inputSchema: { $schema, ...inputSchema } }),
  );
  const asked = modelRequest('m', { messages: [], maxTokens: 1, tools });
  expect(asked.tools?.map((tool) => tool.inputSchema)).toEqual([inputSchema, tools[1]?.inputSchema]);
});
