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
      `    title: z.string().min(1).describe('Title of the note'),`,
      `    text: z.string().describe('Text of the note'),`,
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
      `      title: v.pipe(v.string(), v.minLength(1), v.description('Title of the note')),`,
      `      text: v.pipe(v.string(), v.description('Text of the note')),`,
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
      `    title: type('string > 0').describe('Title of the note'),`,
      `    text: type('string').describe('Text of the note'),`,
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
      `      title: { type: 'string', minLength: 1, description: 'Title of the note' },`,
      `      text: { type: 'string', description: 'Text of the note' },`,
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
