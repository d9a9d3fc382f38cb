/** Mooring over stdio, with an order described by each schema library. */
import { createServer, type ToolPart, tool } from 'mooring';
import { serveStdio } from 'mooring/stdio';
import { SERVER, setup } from '../../work.ts';
import { answerTo, inJson, inValibotWithJson, inZod, type Order } from '../order.ts';
import { underTest } from '../under-test.ts';

const name = 'order';
const tools: Readonly<Record<string, () => ToolPart>> = {
  zod: () => tool({ name, input: inZod, run: answerTo }),
  valibot: () => tool({ name, input: inValibotWithJson, run: answerTo }),
  json: () => tool({ name, input: inJson, run: (input) => answerTo(input as unknown as Order) }), // as the schema says
};
const order = tools[setup().schema]?.();
const serving = serveStdio(createServer({ ...SERVER, parts: order === undefined ? [] : [order] }));
underTest('stdio');
await serving;
