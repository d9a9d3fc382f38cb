/**
 * The server that products are tried with. Each lot is a random value that is made in this process, so a product that shows it has called the
 * tool. Whatever a product sends and whatever was drawn is written to a file, one JSON value a line: the server's side of the story.
 */
import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createServer, tool, use } from 'mooring';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CLIENT = 'io.modelcontextprotocol/clientInfo';

export function lots(evidence) {
  const note = (line) => appendFileSync(evidence, `${JSON.stringify(line)}\n`);
  const draw = (from) => {
    const lot = randomBytes(6).toString('hex');
    note({ kind: 'lot', from, lot });
    return `Lot ${lot} from the ${from}`;
  };
  const hat = { type: 'object', properties: { hat: { type: 'string', description: 'Its color' } }, required: ['hat'] };
  const cellarLot = tool({
    name: 'cellar_lot',
    description: 'Draws a lot from the cellar',
    effects: 'read',
    run: () => draw('cellar'),
  });
  let isOpen = false;
  const server = createServer({
    name: 'lots',
    version: '1.0.0',
    instructions: 'Draw a lot from a hat. The cellar has to be opened first.',
    parts: [
      tool({
        name: 'draw_lot',
        description: 'Draws a lot from a hat',
        effects: 'read',
        input: hat,
        run: ({ hat: color }) => draw(`${color} hat`),
      }),
      tool({
        name: 'open_cellar',
        description: 'Opens the cellar: after this there is a tool cellar_lot',
        effects: 'read',
        run() {
          if (!isOpen) server.add(cellarLot);
          isOpen = true;
          return 'The cellar is open';
        },
      }),
      tool({
        name: 'greet_user',
        description: 'Greets the user, whose name it asks for',
        effects: 'read',
        async run(_input, ctx) {
          if (ctx.caller.capabilities.elicitation === undefined) {
            note({ kind: 'question', outcome: 'cannot be asked' });
            return 'This client cannot be asked';
          }
          const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
          const { action, value } = await ctx.ask('name', 'What is your name?', form);
          note({ kind: 'question', outcome: action, ...(value === undefined ? {} : { name: value.name }) });
          return action === 'accept' ? `The user is ${value.name}` : `The user chose ${action}`;
        },
      }),
    ],
  });
  const noted = (next) => async (message, link) => {
    if ('method' in message) note({ kind: 'message', method: message.method, ...introduced(message) });
    const response = await next(message, link);
    if (message.method === 'initialize') note({ kind: 'agreed', revision: response?.result?.protocolVersion });
    return response;
  };
  return use(server, noted);
}

/** Which revision a message asks for and who sent it, where the message says so. */
function introduced({ method, params = {} }) {
  const meta = params._meta ?? {};
  const revision = params.protocolVersion ?? meta[VERSION];
  const client = params.clientInfo ?? meta[CLIENT];
  return {
    ...(method === 'tools/call' ? { tool: params.name } : {}),
    ...(revision === undefined ? {} : { revision }),
    ...(client === undefined ? {} : { client: `${client.name} ${client.version}` }),
  };
}
