/** An agent loop of the AI SDK with the tools of a server and the scripted model. The argument has the URLs of both. */
import { createMCPClient, ElicitationRequestSchema } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, stepCountIs } from 'ai';

const { transport, reach, model } = JSON.parse(process.argv[2]);
const client = await createMCPClient({
  transport: 'url' in reach ? { type: transport, url: reach.url } : new StdioTransport(reach),
  capabilities: { elicitation: {} },
});
client.onElicitationRequest(ElicitationRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } }));
const { text } = await generateText({
  model: createOpenAICompatible({ name: 'scripted', baseURL: `${model}/v1` })('scripted'),
  tools: await client.tools(),
  stopWhen: stepCountIs(20),
  prompt: 'Draw a lot',
});
console.log(text);
await client.close();
