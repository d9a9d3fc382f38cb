/** Code fragments of the new server's schemas, for each schema library. */
import type { InitPlan } from './decide.ts';

export interface SchemaDialect {
  /** Dependencies to add to package.json. */
  readonly dependencies: Readonly<Record<string, string>>;
  readonly imports: readonly string[];
  /** The schemas of the tool, and of the prompt. */
  readonly input: readonly string[];
  readonly output: string;
  readonly args: string;
  /** False for plain JSON Schema: the compiler cannot infer the input type. */
  readonly typed: boolean;
}

export const dialects: Readonly<Record<InitPlan['schema'], SchemaDialect>> = {
  zod: {
    dependencies: { zod: '^4.6.7' },
    imports: [`import * as z from 'zod';`],
    input: [
      'z.object({',
      `    title: z.string().min(1).describe('What the note is found by'),`,
      `    text: z.string().describe('What the note says'),`,
      '  })',
    ],
    output: 'z.object({ title: z.string(), count: z.int() })',
    args: `z.object({ language: z.string().describe('The language to write in') })`,
    typed: true,
  },
  valibot: {
    dependencies: { '@valibot/to-json-schema': '^1.8.0', valibot: '^1.5.0' },
    imports: [`import { toStandardJsonSchema } from '@valibot/to-json-schema';`, `import * as v from 'valibot';`],
    input: [
      'toStandardJsonSchema(',
      '    v.object({',
      `      title: v.pipe(v.string(), v.minLength(1), v.description('What the note is found by')),`,
      `      text: v.pipe(v.string(), v.description('What the note says')),`,
      '    }),',
      '  )',
    ],
    output: 'toStandardJsonSchema(v.object({ title: v.string(), count: v.pipe(v.number(), v.integer()) }))',
    args: `toStandardJsonSchema(v.object({ language: v.pipe(v.string(), v.description('The language to write in')) }))`,
    typed: true,
  },
  arktype: {
    dependencies: { arktype: '^2.2.9' },
    imports: [`import { type } from 'arktype';`],
    input: [
      'type({',
      `    title: type('string > 0').describe('What the note is found by'),`,
      `    text: type('string').describe('What the note says'),`,
      '  })',
    ],
    output: `type({ title: 'string', count: 'number.integer' })`,
    args: `type({ language: type('string').describe('The language to write in') })`,
    typed: true,
  },
  json: {
    dependencies: {},
    imports: [],
    input: [
      '{',
      `    type: 'object',`,
      '    properties: {',
      `      title: { type: 'string', minLength: 1, description: 'What the note is found by' },`,
      `      text: { type: 'string', description: 'What the note says' },`,
      '    },',
      `    required: ['title', 'text'],`,
      '  }',
    ],
    output: `{
    type: 'object',
    properties: { title: { type: 'string' }, count: { type: 'integer' } },
    required: ['title', 'count'],
  }`,
    args: `{
    type: 'object',
    properties: { language: { type: 'string', description: 'The language to write in' } },
    required: ['language'],
  }`,
    typed: false,
  },
};
