/** Mastra's client, without an agent. Since version 2 it has no HTTP+SSE. */
import type { Product } from '../product.ts';
import { driveLibrary } from './library.ts';

export const mastra: Product = {
  name: 'mastra',
  title: 'Mastra',
  package: '@mastra/mcp',
  transports: ['stdio', 'http'],
  limits: [],
  drive: driveLibrary,
};
