/** An order, described by each schema library, to compare the cost of validation. */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import * as z from 'zod';

export interface Order {
  readonly order: string;
  readonly express: boolean;
  readonly lines: readonly { readonly sku: string; readonly quantity: number; readonly price: number }[];
  readonly note?: string | undefined;
}

export const answerTo = ({ order, lines }: Order): string =>
  `${order}: ${lines.reduce((sum, { quantity }) => sum + quantity, 0)}`;

export const inZod = z.object({
  order: z.string().min(1),
  express: z.boolean(),
  lines: z.array(z.object({ sku: z.string(), quantity: z.int().min(1), price: z.number().min(0) })).min(1),
  note: z.string().max(200).optional(),
});

export const inValibot = v.object({
  order: v.pipe(v.string(), v.minLength(1)),
  express: v.boolean(),
  lines: v.pipe(
    v.array(
      v.object({
        sku: v.string(),
        quantity: v.pipe(v.number(), v.integer(), v.minValue(1)),
        price: v.pipe(v.number(), v.minValue(0)),
      }),
    ),
    v.minLength(1),
  ),
  note: v.optional(v.pipe(v.string(), v.maxLength(200))),
});

/** With the conversion to JSON Schema that the standard needs. */
export const inValibotWithJson = toStandardJsonSchema(inValibot);

export const inJson = {
  type: 'object',
  properties: {
    order: { type: 'string', minLength: 1 },
    express: { type: 'boolean' },
    lines: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        properties: {
          sku: { type: 'string' },
          quantity: { type: 'integer', minimum: 1 },
          price: { type: 'number', minimum: 0 },
        },
        required: ['sku', 'quantity', 'price'],
      },
    },
    note: { type: 'string', maxLength: 200 },
  },
  required: ['order', 'express', 'lines'],
} as const;
