/** The cost of two hundred tools for the author's compiler. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const folder = '.cache/type-budget';
const TOOLS = 200;
const PER_TOOL = 2_000;

const toolText = (n: number): string => `
export const tool${n} = tool({
  name: 'tool${n}',
  description: 'Number ${n}',
  input: z.object({ order: z.string(), days: z.number().default(${n}), kind: z.enum(['a', 'b', 'c${n}']).optional() }),
  output: z.object({ id: z.string(), amount: z.number(), lines: z.array(z.object({ sku: z.string(), n${n}: z.number() })) }),
  run: ({ order, days }) => ({ id: order, amount: days, lines: [{ sku: order, n${n}: days }] }),
});`;

/** A server with this many tools, and code that uses the types of each. */
function program(tools: number): string {
  const numbers = Array.from({ length: tools }, (_, n) => n);
  return [
    "import * as z from 'zod';",
    "import { createServer, tool } from '../../src/index.ts';",
    ...numbers.map(toolText),
    `const server = createServer({ name: 's', version: '1', parts: [${numbers.map((n) => `tool${n}`).join(', ')}] });`,
    "export type Tools = NonNullable<(typeof server)['~types']>['tools'];",
    ...numbers.map((n) => `export const line${n}: Tools['tool${n}']['output']['lines'][number]['n${n}'] = ${n};`),
    "export const empty = tool({ name: 'empty', input: z.object({ a: z.string() }), run: ({ a }) => a });",
  ].join('\n');
}

function instantiations(tools: number): number {
  const name = `tools-${tools}`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/${name}.ts`, program(tools));
  // User code has no annotations on exports.
  const compilerOptions = { noEmit: true, isolatedDeclarations: false, declaration: false, rootDir: '../..' };
  const config = { extends: '../../tsconfig.json', compilerOptions, include: [`${name}.ts`], exclude: [] };
  writeFileSync(`${folder}/${name}.json`, JSON.stringify(config));
  const output = execFileSync(
    process.execPath,
    ['node_modules/typescript/bin/tsc', '-p', `${folder}/${name}.json`, '--extendedDiagnostics'],
    { encoding: 'utf8' },
  );
  return Number(/^Instantiations:\s+(\d+)/m.exec(output)?.[1]);
}

test(`a tool with input and output costs at most ${PER_TOOL} instantiations`, { timeout: 120_000 }, () => {
  const perTool = (instantiations(TOOLS) - instantiations(0)) / TOOLS;
  expect(perTool).toBeGreaterThan(0);
  expect(perTool).toBeLessThanOrEqual(PER_TOOL);
});
