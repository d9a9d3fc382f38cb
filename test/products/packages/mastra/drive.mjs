/** Calls the tools of a server with Mastra's client. The argument has the URL of the server. */
import { MCPClient } from '@mastra/mcp';

const { reach } = JSON.parse(process.argv[2]);
const server = 'url' in reach ? { url: new URL(reach.url) } : reach;
const inputRequests = async () => ({ action: 'accept', content: { name: 'Ada' } });
const client = new MCPClient({ servers: { lots: { ...server, inputRequests } } });
const changed = new Promise((resolve) => void client.tools.onListChanged('lots', resolve));

let tools = await client.listTools();
const call = async (name, args = {}) => console.log(JSON.stringify(await tools[`lots_${name}`].execute(args, {})));
await call('draw_lot', { hat: 'blue' });
await call('greet_user');
await call('open_cellar');
await changed;
tools = await client.listTools();
await call('cellar_lot');
await client.disconnect();
