/** An agent of the OpenAI Agents SDK with the tools of a server and the scripted model. */
import { Agent, MCPServerSSE, MCPServerStdio, MCPServerStreamableHttp, run, setTracingDisabled } from '@openai/agents';

const { transport, reach } = JSON.parse(process.argv[2]);
setTracingDisabled(true);
const Remote = transport === 'sse' ? MCPServerSSE : MCPServerStreamableHttp;
const server =
  'url' in reach ? new Remote({ url: reach.url, name: 'lots' }) : new MCPServerStdio({ ...reach, name: 'lots' });
await server.connect();
const agent = new Agent({ name: 'Drawer', model: 'scripted', mcpServers: [server] });
const { finalOutput } = await run(agent, 'Draw a lot', { maxTurns: 20 });
console.log(finalOutput);
await server.close();
