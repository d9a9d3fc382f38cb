/** The limit over stdio, with an order validated by each library, or by none. */
import { Ajv } from 'ajv';
import * as v from 'valibot';
import { onLines } from '../../load/lines.ts';
import { setup } from '../../work.ts';
import { answerTo, inJson, inValibot, inZod, type Order } from '../order.ts';
import { underTest } from '../under-test.ts';
import { answer, type Check } from './answer.ts';

interface Asked {
  readonly id?: number;
  readonly method: string;
  readonly params: { readonly arguments: Order };
}

const checks: Readonly<Record<string, Check>> = {
  none: () => true,
  zod: (value) => inZod.safeParse(value).success,
  valibot: (value) => v.safeParse(inValibot, value).success,
  json: new Ajv().compile(inJson),
};
const check = checks[setup().schema];

function respond(line: string): string {
  const message = JSON.parse(line) as Asked; // the bench sends nothing else
  const { id, method, params } = message;
  if (id === undefined) return '';
  if (method !== 'tools/call') return `${answer({ id, method })}\n`;
  if (check?.(params.arguments) !== true) throw new Error('The bench sends what is right');
  const result = { content: [{ type: 'text', text: answerTo(params.arguments) }] };
  return `${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`;
}

onLines(process.stdin, (lines) => process.stdout.write(lines.map(respond).join('')));
underTest('stdio');
