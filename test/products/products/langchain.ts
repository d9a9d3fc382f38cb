/** LangChain's adapters and agents. */
import type { Product } from '../product.ts';
import { driveLibrary } from './library.ts';

export const langchain: Product = {
  name: 'langchain',
  title: 'LangChain',
  package: '@langchain/mcp-adapters',
  transports: ['stdio', 'http', 'sse'],
  limits: [{ check: 'question', outcome: 'cannot be asked', because: 'the adapters do not declare elicitation' }],
  drive: driveLibrary,
};
