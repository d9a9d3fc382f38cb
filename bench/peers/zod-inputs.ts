/** The inputs of the tools, in zod. */
import * as z from 'zod';
import { FIELDS, others, type Setup } from '../work.ts';

export const message = z.object({ message: z.string() });
export const to = z.object({ to: z.number() });

/** The tools that are listed but not called, each with its own input. */
export const berths = (
  setup: Setup,
): { readonly name: string; readonly input: z.ZodObject<Record<string, z.ZodString>> }[] =>
  others(setup).map((name) => ({
    name,
    input: z.object(Object.fromEntries(FIELDS.map(([field, about]) => [field, z.string().describe(about)]))),
  }));

export const text = (said: string): { content: [{ type: 'text'; text: string }] } => ({
  content: [{ type: 'text', text: said }],
});
