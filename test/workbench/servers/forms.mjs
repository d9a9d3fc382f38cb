// A server without a library: tools with difficult schemas, a slow one, one that violates its output schema, a resource that changes.
import { createInterface } from 'node:readline';

const address = {
  type: 'object',
  properties: { street: { type: 'string', title: 'Street' }, zip: { type: 'string', minLength: 4 } },
  required: ['street'],
};
const order = {
  type: 'object',
  $defs: { address },
  properties: {
    customer: { type: 'string', description: 'Who orders', default: 'Ada' },
    to: { $ref: '#/$defs/address' },
    lines: {
      type: 'array',
      items: {
        type: 'object',
        properties: { article: { type: 'string' }, pieces: { type: 'integer', minimum: 1 } },
        required: ['article', 'pieces'],
      },
    },
    speed: {
      oneOf: [
        { const: 'std', title: 'Standard, three days' },
        { const: 'fast', title: 'Fast, tomorrow' },
      ],
    },
    gift: { enum: ['card', 'ribbon', null], description: 'Nothing, a card or a ribbon' },
    extras: { type: 'array', items: { type: 'string', enum: ['insured', 'tracked'] } },
    notes: {
      allOf: [
        { type: 'object', properties: { inside: { type: 'string' } } },
        { type: 'object', properties: { outside: { type: 'string' } } },
      ],
    },
    ...Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`option${at + 1}`, { type: 'boolean', description: `Switch ${at + 1}` }]),
    ),
  },
  required: ['customer', 'to'],
};
const pay = {
  type: 'object',
  anyOf: [
    { title: 'By card', properties: { card: { type: 'string' }, month: { type: 'integer' } }, required: ['card'] },
    { title: 'By transfer', properties: { iban: { type: 'string' } }, required: ['iban'] },
  ],
};
const tools = [
  { name: 'order', description: 'Order something', inputSchema: order },
  { name: 'pay', description: 'Pay for it', inputSchema: pay },
  { name: 'echo', description: 'Says what it was given', inputSchema: { type: 'object', additionalProperties: true } },
  {
    name: 'slow',
    description: 'Takes its time, and says how far it is',
    inputSchema: { type: 'object', properties: { steps: { type: 'integer', default: 50 } } },
  },
  {
    name: 'flood',
    description: 'Sends many messages',
    inputSchema: { type: 'object', properties: { messages: { type: 'integer', default: 100000 } } },
  },
  { name: 'stuck', description: 'Never responds', inputSchema: { type: 'object' } },
  {
    name: 'broken',
    description: 'Breaks its output schema',
    inputSchema: { type: 'object' },
    outputSchema: { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] },
  },
  { name: 'everything', description: 'Every kind of content', inputSchema: { type: 'object' } },
  { name: 'touch', description: 'Changes the resource', inputSchema: { type: 'object' } },
  { name: 'grow', description: 'Adds a tool', inputSchema: { type: 'object' } },
  { name: 'crash', description: 'Ends the process', inputSchema: { type: 'object' } },
  {
    name: 'login',
    description: 'Has a password',
    inputSchema: { type: 'object', properties: { password: { type: 'string' } } },
  },
];
let text = 'first line\nsecond line\n';
const running = new Map();
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const say = (value) => ({ content: [{ type: 'text', text: value }] });
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const calls = {
  order: (args) => say(`Ordered ${JSON.stringify(args)}`),
  pay: (args) => say(`Paid ${JSON.stringify(args)}`),
  echo: (args) => say(JSON.stringify(args)),
  login: () => say('Welcome'),
  flood: ({ messages = 100_000 }) => {
    for (let at = 0; at < messages; at++)
      send({ method: 'notifications/message', params: { level: 'info', data: `line ${at}` } });
    return say(`Sent ${messages}`);
  },
  broken: () => ({ ...say('priceless'), structuredContent: { price: 'priceless' } }),
  everything: () => ({
    content: [
      { type: 'text', text: 'Some text' },
      { type: 'image', data: pixel, mimeType: 'image/png' },
      { type: 'audio', data: 'UklGRiQAAABXQVZF', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'note://a', name: 'A note', mimeType: 'text/plain' },
      { type: 'resource', resource: { uri: 'note://b', mimeType: 'text/plain', text: 'An embedded note' } },
    ],
  }),
  touch: () => {
    text = text.replace('second', 'changed');
    send({ method: 'notifications/resources/updated', params: { uri: 'note://a' } });
    return say('Touched');
  },
  grow: () => {
    tools.push({ name: 'grown', description: 'Was not there before', inputSchema: { type: 'object' } });
    send({ method: 'notifications/tools/list_changed' });
    return say('Grown');
  },
  crash: () => {
    process.stderr.write('the last words of the server\n');
    process.exit(3);
  },
};

/** Runs until it is cancelled. */
async function slow(id, steps, token) {
  for (let at = 1; running.get(id) !== 'cancelled'; at++) {
    if (token !== undefined && at < steps)
      send({
        method: 'notifications/progress',
        params: { progressToken: token, progress: at, total: steps, message: `step ${at}` },
      });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  process.stderr.write(`heard that ${id} is cancelled\n`);
}

function answer({ id, method, params = {} }) {
  if (method === 'notifications/cancelled') running.set(params.requestId, 'cancelled');
  if (id === undefined) return;
  const reply = (result) => send({ id, result });
  if (method === 'initialize')
    return reply({
      protocolVersion: params.protocolVersion,
      capabilities: { logging: {}, tools: { listChanged: true }, resources: { subscribe: true } },
      serverInfo: { name: 'forms', version: '1.0.0' },
    });
  if (method === 'tools/list') return reply({ tools });
  if (method === 'resources/list')
    return reply({ resources: [{ uri: 'note://a', name: 'A note', mimeType: 'text/plain' }] });
  if (method === 'resources/templates/list') return reply({ resourceTemplates: [] });
  if (method === 'resources/read') return reply({ contents: [{ uri: params.uri, mimeType: 'text/plain', text }] });
  if (['resources/subscribe', 'resources/unsubscribe', 'ping'].includes(method)) return reply({});
  if (method !== 'tools/call') return send({ id, error: { code: -32601, message: 'Method not found' } });
  if (params.name === 'stuck') return undefined;
  if (params.name === 'slow') return void slow(id, params.arguments?.steps ?? 50, params._meta?.progressToken);
  return reply(calls[params.name]?.(params.arguments ?? {}) ?? say('?'));
}

createInterface({ input: process.stdin }).on('line', (line) => answer(JSON.parse(line)));
