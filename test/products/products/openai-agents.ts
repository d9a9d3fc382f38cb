/** The OpenAI Agents SDK. */
import type { Product } from '../product.ts';
import { driveLibrary } from './library.ts';

export const openaiAgents: Product = {
  name: 'openai-agents',
  title: 'OpenAI Agents',
  package: '@openai/agents',
  transports: ['stdio', 'http', 'sse'],
  limits: [{ check: 'question', outcome: 'cannot be asked', because: 'the SDK does not declare elicitation' }],
  drive: driveLibrary,
};
