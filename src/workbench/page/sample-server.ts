/** The server on the welcome screen, identical to that of the README, which a test runs. */
export const SAMPLE_SERVER: string = [
  "import { createServer, ToolError, tool } from 'mooring';",
  "import * as z from 'zod';",
  '',
  'const refund = tool({',
  "  name: 'refund',",
  "  description: 'Refund one order',",
  '  input: z.object({ order: z.string() }),',
  '  output: z.object({ order: z.string(), amount: z.number() }),',
  '  async run({ order }, ctx) {',
  `    if (!(await ctx.confirm('sure', \`Refund \${order}?\`))) throw new ToolError('The user declined');`,
  '    return { order, amount: 12.5 };',
  '  },',
  '});',
  "export const shop = createServer({ name: 'shop', version: '1.0.0', parts: [refund] });",
  '',
].join('\n');
