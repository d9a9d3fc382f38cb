import { expect, test } from 'vitest';
import { modelRequest } from './sampling-messages.ts';

test('modelRequest() removes the default dialect from the schemas of tools', () => {
  const inputSchema = { type: 'object', properties: {} } as const;
  const tools = ['https://json-schema.org/draft/2020-12/schema', 'http://json-schema.org/draft-07/schema#'].map(
    ($schema, i) => ({ name: `t${i}`, inputSchema: { $schema, ...inputSchema } }),
  );
  const asked = modelRequest('m', { messages: [], maxTokens: 1, tools });
  expect(asked.tools?.map((tool) => tool.inputSchema)).toEqual([inputSchema, tools[1]?.inputSchema]);
});
