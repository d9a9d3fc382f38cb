/** The server with tmcp, which supports both eras. Over stdio, its handlers do not notice a cancelled call. */
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { StdioTransport } from '@tmcp/transport-stdio';
import { McpServer } from 'tmcp';
import { complete, prompt, resource, tool } from 'tmcp/utils';
import * as z from 'zod';

const server = new McpServer(
  { name: 'quay-tmcp', version: '1.0.0', description: 'Quay' },
  {
    adapter: new ZodJsonSchemaAdapter(),
    capabilities: {
      logging: {},
      completions: {},
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
    },
    instructions: 'Berth before you unload.',
    pagination: { prompts: { size: 1 } },
  },
);

server.tool(
  {
    name: 'add',
    description: 'Adds',
    schema: z.object({ a: z.number(), b: z.number() }),
    outputSchema: z.object({ sum: z.number() }),
  },
  ({ a, b }) => tool.structured({ sum: a + b }),
);
server.tool({ name: 'count', description: 'Counts', schema: z.object({ to: z.int() }) }, ({ to }) => {
  for (let done = 1; done <= to; done++) server.progress(done, to, `${done} of ${to}`);
  return tool.text(`counted to ${to}`);
});
server.tool({ name: 'fail', description: 'Fails' }, () => tool.error('The crane is stuck'));
server.tool({ name: 'chatter', description: 'Logs' }, () => {
  server.log('debug', 'whisper', 'quay');
  server.log('warning', 'shout', 'quay');
  return tool.text('said');
});
server.tool({ name: 'introduce', description: 'Asks the user', replayable: true }, async () => {
  const who = z.object({ name: z.string().min(1), crew: z.int().min(1).max(99) });
  const { action, content } = await server.elicitation('Who is there?', who);
  return tool.text(JSON.stringify({ action, content }));
});
server.tool({ name: 'think', description: 'Asks the model', replayable: true }, async () => {
  const { content, model } = await server.message({
    messages: [{ role: 'user', content: { type: 'text', text: 'Which berth?' } }],
    maxTokens: 10,
  });
  const [block] = [content].flat();
  return tool.text(`${model}: ${block?.type === 'text' ? block.text : block?.type}`);
});
server.tool({ name: 'folders', description: 'Asks for roots' }, async () => {
  await server.refreshRoots();
  return tool.text(server.roots.map((root) => root.uri).join(' '));
});
server.tool({ name: 'grow', description: 'Adds a tool' }, () => {
  server.tool({ name: 'grown', description: 'Just added' }, () => tool.text('new here'));
  return tool.text('grown');
});
server.tool({ name: 'touch', description: 'Changes a resource', schema: z.object({ uri: z.string() }) }, ({ uri }) => {
  server.changed('resource', uri);
  return tool.text('touched');
});

server.resource({ name: 'log', description: 'Text', uri: 'quay://log' }, (uri) =>
  resource.text(uri, 'All quiet', 'text/plain'),
);
server.resource({ name: 'flag', description: 'Bytes', uri: 'quay://flag' }, (uri) =>
  resource.blob(uri, 'AQID', 'image/png'),
);
server.template(
  {
    name: 'berth',
    description: 'One of many',
    uri: 'quay://berth/{id}',
    complete: { id: (value) => complete.values(['north', 'south'].filter((one) => one.startsWith(value))) },
  },
  (uri, { id }) => resource.text(uri, `Berth ${id}`),
);
server.prompt({ name: 'greet', description: 'Greets', schema: z.object({ who: z.string() }) }, ({ who }) =>
  prompt.message(`Ahoy, ${who}!`),
);
server.prompt({ name: 'farewell', description: 'Parts' }, () => prompt.message('Fair winds.'));

new StdioTransport(server).listen();
