/** Tools without questions: every kind of content, failures, progress, logging, schemas, headers. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Part, ToolError, tool } from 'mooring';
import { audio, image } from './content.ts';

/** Long enough that a client receives the notifications separately. */
const BEAT_MS = 50;

const address = { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } };
/** One keyword of each kind that a server must publish unchanged. */
const contact = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { $anchor: 'addressDef', ...address } },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

/** Clients that do not know the tools call the first one without arguments. */
export const plainTools: readonly Part[] = [
  tool({
    name: 'test_simple_text',
    description: 'Answers with one line of text',
    effects: 'read',
    run: () => 'This is a simple text response for testing.',
  }),
  tool({ name: 'test_image_content', description: 'Answers with a picture', effects: 'read', run: () => image }),
  tool({ name: 'test_audio_content', description: 'Answers with a sound', effects: 'read', run: () => audio }),
  tool({
    name: 'test_embedded_resource',
    description: 'Answers with a resource and what is in it',
    effects: 'read',
    run: () => ({
      type: 'resource',
      resource: {
        uri: 'test://embedded-resource',
        mimeType: 'text/plain',
        text: 'This is an embedded resource content.',
      },
    }),
  }),
  tool({
    name: 'test_multiple_content_types',
    description: 'Answers with text, a picture and a resource',
    effects: 'read',
    run: () => [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: JSON.stringify({ test: 'data', value: 123 }),
        },
      },
    ],
  }),
  tool({
    name: 'test_error_handling',
    description: 'Fails, and says so to the model',
    run: () => {
      throw new ToolError('This tool intentionally returns an error for testing');
    },
  }),
  tool({
    name: 'test_tool_with_logging',
    description: 'Logs three lines while it works',
    effects: 'read',
    async run(_nothing, ctx) {
      ctx.log('info', 'Tool execution started');
      await pause(BEAT_MS);
      ctx.log('info', 'Tool processing data');
      await pause(BEAT_MS);
      ctx.log('info', 'Tool execution completed');
      return 'Tool with logging executed successfully';
    },
  }),
  tool({
    name: 'test_logging_tool',
    description: 'Logs one line at every level, to those who asked for it',
    effects: 'read',
    run(_nothing, ctx) {
      for (const level of ['debug', 'info', 'warning', 'error'] as const) ctx.log(level, `A line of level ${level}`);
      return 'Logged';
    },
  }),
  tool({
    name: 'test_tool_with_progress',
    description: 'Reports how far it is, from 0 to 100',
    effects: 'read',
    async run(_nothing, ctx) {
      for (const done of [0, 50, 100]) {
        if (done > 0) await pause(BEAT_MS);
        ctx.progress(done, 100, `Completed step ${done} of 100`);
      }
      return 'Progress reported';
    },
  }),
  tool({
    name: 'test_reconnection',
    description: 'Hangs up while it works, where the client can come back for the answer',
    effects: 'read',
    async run(_nothing, ctx) {
      ctx.http?.release(2 * BEAT_MS);
      await pause(4 * BEAT_MS);
      return 'Reconnection test completed successfully';
    },
  }),
  tool({
    name: 'json_schema_2020_12_tool',
    description: 'Takes what only JSON Schema 2020-12 can describe',
    effects: 'read',
    input: contact,
    run: (input) => `Received ${JSON.stringify(input)}`,
  }),
  tool({
    name: 'test_x_mcp_header',
    description: 'Takes an argument that is repeated in a header, for whoever routes by it',
    effects: 'read',
    input: {
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, query: { type: 'string' } },
      required: ['region'],
    },
    run: ({ region }) => `Region: ${String(region)}`,
  }),
];
