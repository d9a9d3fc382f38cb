/** The AI SDK's client and one agent loop. */
import type { Product } from '../product.ts';
import { driveLibrary } from './library.ts';

export const aiSdk: Product = {
  name: 'ai-sdk',
  title: 'AI SDK',
  package: '@ai-sdk/mcp',
  transports: ['stdio', 'http', 'sse'],
  limits: [
    { check: 'list change', outcome: 'not listed again', because: 'the client of the AI SDK does not report changes' },
  ],
  drive: driveLibrary,
};
