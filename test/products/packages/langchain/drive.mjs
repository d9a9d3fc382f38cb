/** Agents of LangChain with the tools of a server and the scripted model. A second one continues after the tools have changed. */
import { loadMcpTools, MultiServerMCPClient } from '@langchain/mcp-adapters';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent } from 'langchain';

const { transport, reach, model } = JSON.parse(process.argv[2]);
let hasChanged = false;
const client = new MultiServerMCPClient({
  mcpServers: { lots: 'url' in reach ? { transport, url: reach.url } : { transport: 'stdio', ...reach } },
  onToolsListChanged: () => {
    hasChanged = true;
  },
});
const llm = new ChatOpenAI({ model: 'scripted', apiKey: 'scripted', configuration: { baseURL: `${model}/v1` } });
const ask = async (tools, messages) => (await createAgent({ model: llm, tools }).invoke({ messages })).messages;
let messages = await ask(await client.getTools(), [{ role: 'user', content: 'Draw a lot' }]);
if (hasChanged) {
  // `getTools` caches its first list.
  const tools = await loadMcpTools('lots', await client.getClient('lots'));
  messages = await ask(tools, [...messages, { role: 'user', content: 'Draw another' }]);
}
console.log(messages.at(-1).content);
await client.close();
