/** Rules about what a model reads: it chooses a tool, and fills in its parameters, by their descriptions. */
import { ReadingBudget } from '../../../schema/reading-budget.ts';
import { SchemaView } from '../../tool-arguments/schema-view.ts';
import { attacksIn, tokensOf } from '../definition-checks.ts';
import { type LintRule, type RuleMatch, schemaObject, toolRule } from '../rule.ts';

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

/** Hosts warn of such a definition, or do not show it to models. */
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

/** Between two tools that say the same, a model guesses. */
export const sameDescription: LintRule = toolRule('warning', 'same-description', {
  fix: 'Say in each description what distinguishes the tool from the others.',
  check({ name, description = '' }, { tools }) {
    const text = description.trim();
    const twins = tools.filter((one) => one.name !== name && one.description?.trim() === text).map((one) => one.name);
    return text === '' || twins.length === 0 ? undefined : `has the same description as ${twins.join(', ')}`;
  },
});

/** Some models of OpenAI reject the whole request. */
const REJECTED = 1024;
const CUT = 2048;

export const longDescription: LintRule = toolRule('warning', 'long-description', {
  fix: 'Begin with what the tool does, and move details to the descriptions of its parameters.',
  check({ description = '' }) {
    const { length } = description;
    if (length <= REJECTED) return undefined;
    const cut = length > CUT ? `; Claude Code cuts it at ${CUT.toLocaleString('en')}` : '';
    const limit = REJECTED.toLocaleString('en');
    return `has a description of ${length.toLocaleString('en')} characters; some OpenAI models accept ${limit}${cut}`;
  },
});

/** Ten times what most tools take. */
const MAX_TOKENS = 1500;

export const expensiveTool: LintRule = toolRule('warning', 'expensive-tool', {
  fix: 'Shorten the description and the schema, or split the tool.',
  check(tool) {
    const tokens = tokensOf(tool);
    if (tokens <= MAX_TOKENS) return undefined;
    return `costs about ${tokens.toLocaleString('en')} tokens in every request that offers it`;
  },
});

/** Users choose a prompt, and models a template, by what it says about itself. */
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

const MAX_SHOWN = 8;
const MAX_DEPTH = 3;

export const parameterDescription: LintRule = toolRule('warning', 'parameter-description', {
  fix: 'Give each parameter a description: what it means, its unit or format, an example.',
  check({ inputSchema }) {
    const silent = undescribed(new SchemaView(schemaObject(inputSchema)), '', 0, new ReadingBudget());
    if (silent.length === 0) return undefined;
    const more = silent.length > MAX_SHOWN ? ` and ${silent.length - MAX_SHOWN} more` : '';
    return `has ${silent.length === 1 ? 'a parameter' : 'parameters'} without a description: ${silent.slice(0, MAX_SHOWN).join(', ')}${more}`;
  },
});

/**
 * Members of an object are described by their own texts; one value to choose from says all there is. `path` has the dot that
 * ends it.
 */
function undescribed(view: SchemaView, path: string, depth: number, budget: ReadingBudget): readonly string[] {
  return view.keys.flatMap((key) => {
    if (!budget.take()) return [];
    const member = view.declared(key) ?? new SchemaView({});
    const inner = member.keys.length > 0 ? member : member.items;
    const below = depth < MAX_DEPTH ? undescribed(inner, `${path}${key}.`, depth + 1, budget) : [];
    const says = hasText(member, 'description') || hasText(member, 'title') || 'const' in schemaObject(member.schema);
    return says || inner.keys.length > 0 ? below : [`${path}${key}`, ...below];
  });
}

function hasText(view: SchemaView, keyword: string): boolean {
  const text = view.keyword(keyword) ?? view.items.keyword(keyword);
  return typeof text === 'string' && text.trim() !== '';
}
