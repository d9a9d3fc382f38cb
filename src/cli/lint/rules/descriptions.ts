/** Lint rules for descriptions, by which a model chooses a tool and fills in its parameters. */
import { ReadingBudget } from '../../../schema/reading-budget.ts';
import { SchemaView } from '../../tool-arguments/schema-view.ts';
import { attacksIn, tokensOf } from '../definition-checks.ts';
import { type LintRule, type RuleMatch, schemaObject, someOf, toolRule, twinRule } from '../rule.ts';

export const noDescription: LintRule = toolRule('error', 'no-description', {
  fix: 'Say in one or two sentences what the tool does, when to use it and what it returns.',
  check({ name, description = '' }) {
    if (description.trim() === '') return 'has no description';
    return wordsOf(description) === wordsOf(name) ? 'has a description that repeats the name' : undefined;
  },
});

const wordsOf = (text: string): string =>
  text
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .join(' ');

/** Hosts warn about such a definition, or hide it from models. */
export const suspiciousText: LintRule = {
  id: 'suspicious-text',
  severity: 'error',
  fix: 'Describe what the item does, and give no instructions to the model beyond its use.',
  check: ({ tools, prompts, templates, instructions }) => [
    ...tools.flatMap((tool) => matchesIn(`tool ${tool.name}`, tool)),
    ...prompts.flatMap((prompt) => matchesIn(`prompt ${prompt.name}`, prompt)),
    ...templates.flatMap((template) => matchesIn(`template ${template.uriTemplate}`, template)),
    ...(instructions === undefined ? [] : matchesIn('the instructions', { description: instructions })),
  ],
};

const matchesIn = (item: string, definition: object): readonly RuleMatch[] =>
  attacksIn({ ...definition }).map((found) => ({ item, found }));

/** A model cannot choose between tools with the same description. */
export const sameDescription: LintRule = twinRule('same-description', {
  fix: 'Say in each description what distinguishes the tool from the others.',
  found: 'has the same description as',
  keyOf: ({ description = '' }) => description.trim(),
});

/** Beyond this, some models of OpenAI reject the whole request. */
const OPENAI_LIMIT = 1024;
/** Beyond this, Claude Code truncates the description. */
const CLAUDE_CODE_LIMIT = 2048;

export const longDescription: LintRule = toolRule('warning', 'long-description', {
  fix: 'Begin with what the tool does, and move details to the descriptions of its parameters.',
  check({ description = '' }) {
    const { length } = description;
    if (length <= OPENAI_LIMIT) return undefined;
    const cut = length > CLAUDE_CODE_LIMIT ? `; Claude Code cuts it at ${CLAUDE_CODE_LIMIT.toLocaleString('en')}` : '';
    const limit = OPENAI_LIMIT.toLocaleString('en');
    return `has a description of ${length.toLocaleString('en')} characters; some OpenAI models accept ${limit}${cut}`;
  },
});

/** About ten times the cost of a usual tool. */
const MAX_TOKENS = 1500;

export const expensiveTool: LintRule = toolRule('warning', 'expensive-tool', {
  fix: 'Shorten the description and the schema, or split the tool.',
  check(tool) {
    const tokens = tokensOf(tool);
    if (tokens <= MAX_TOKENS) return undefined;
    return `costs about ${tokens.toLocaleString('en')} tokens in every request that offers it`;
  },
});

/** Users choose a prompt, and models a template, by its description. */
export const itemDescription: LintRule = {
  id: 'item-description',
  severity: 'warning',
  fix: 'Give it a description or a title.',
  check: ({ prompts, templates }) =>
    [
      ...prompts.map((prompt) => ({ ...prompt, item: `prompt ${prompt.name}` })),
      ...templates.map((template) => ({ ...template, item: `template ${template.uriTemplate}` })),
    ].flatMap(({ item, description = '', title = '' }) =>
      `${description}${title}`.trim() === '' ? [{ item, found: 'has no description' }] : [],
    ),
};

const MAX_DEPTH = 3;

export const parameterDescription: LintRule = toolRule('warning', 'parameter-description', {
  fix: 'Give each parameter a description: what it means, its unit or format, an example.',
  check({ inputSchema }) {
    const silent = undescribed(new SchemaView(schemaObject(inputSchema)), '', 0, new ReadingBudget());
    if (silent.length === 0) return undefined;
    return `has ${silent.length === 1 ? 'a parameter' : 'parameters'} without a description: ${someOf(silent, silent.length)}`;
  },
});

/**
 * Paths of parameters without a description. An object counts as described by its members, and a `const` needs no description.
 * `path` ends with a dot.
 */
function undescribed(view: SchemaView, path: string, depth: number, budget: ReadingBudget): readonly string[] {
  return view.keys.flatMap((key) => {
    if (!budget.take()) return [];
    const member = view.declared(key) ?? new SchemaView({});
    const inner = member.keys.length > 0 ? member : member.items;
    const below = depth < MAX_DEPTH ? undescribed(inner, `${path}${key}.`, depth + 1, budget) : [];
    const isDescribed =
      hasText(member, 'description') || hasText(member, 'title') || 'const' in schemaObject(member.schema);
    return isDescribed || inner.keys.length > 0 ? below : [`${path}${key}`, ...below];
  });
}

function hasText(view: SchemaView, keyword: string): boolean {
  const text = view.keyword(keyword) ?? view.items.keyword(keyword);
  return typeof text === 'string' && text.trim() !== '';
}
