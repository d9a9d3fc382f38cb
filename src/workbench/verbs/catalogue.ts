/** Verbs about what servers offer: lists, token estimates, lint findings, and the tools that fit a model's budget. */
import { Buffer } from 'node:buffer';
import { claimsOf } from '../../host/act/claims.ts';
import { estimateTokens } from '../../host/catalogue/tokens.ts';
import { viewUriOf } from '../../host/catalogue/tool-audience.ts';
import { type CatalogueTool, checkedIcon } from '../../host/index.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { Tool } from '../../model/parts.ts';
import { number, oneOf, optional, string } from '../../model/shape.ts';
import { textOfValue } from '../../model/text-of-value.ts';
import type { LintRow, OfferKind, OfferRow, TokenRow } from '../protocol-rows.ts';
import { type VerbTable, verb } from '../rpc.ts';
import type { Workbench } from '../workbench.ts';
import type { LintedServer } from '../workbench-core.ts';

/** Items per page. */
const PAGE = 200;

export function catalogueVerbs(bench: Workbench): VerbTable {
  const { session } = bench;
  const toolsOf = async (server: string | undefined): Promise<readonly CatalogueTool[]> =>
    (await session.catalogue.tools()).filter((tool) => server === undefined || tool.server === server);
  return {
    'catalogue.list': verb(
      {
        kind: oneOf<OfferKind>('tool', 'resource', 'template', 'prompt'),
        ...{ server: optional(string), query: optional(string), cursor: optional(string) },
      },
      async ({ kind, server, query = '', cursor = '0' }) => {
        const openingBefore = bench.servers.opening();
        const found = await rowsOf(bench, kind, query);
        const rows = found.filter((one) => server === undefined || one.server === server);
        const from = Number(cursor) || 0;
        const items = rows.slice(from, from + PAGE).map((one) => scrubRow(bench, one));
        return {
          items,
          total: rows.length,
          problems: bench.offerProblems(),
          away: [...new Set([...openingBefore, ...bench.servers.opening()])],
          ...(rows.length > from + PAGE ? { next: String(from + PAGE) } : {}),
        };
      },
    ),
    'catalogue.tokens': verb({ server: optional(string) }, async ({ server }) => {
      const tools = (await toolsOf(server)).map(tokenRow);
      return { total: tools.reduce((sum, { tokens }) => sum + tokens, 0), tools };
    }),
    'catalogue.lint': verb({ server: optional(string) }, async ({ server }) => ({
      findings: await lintRows(bench, server),
    })),
    'catalogue.forModel': verb({ budget: number, query: optional(string) }, async ({ budget, query }) => {
      const offered = await session.catalogue.tools({
        budgetTokens: budget,
        ...(query === undefined ? {} : { query }),
      });
      const tools = offered.map((tool) => ({ name: tool.name, tokens: tokensOf(tool) }));
      return { tools, tokens: tools.reduce((sum, one) => sum + one.tokens, 0) };
    }),
  };
}

/** Masks the members that come from the server. Masking the whole row would also hide our own members with names such as `tokens`. */
function scrubRow(
  bench: Workbench,
  { definition, inputSchema, title, description, warnings, ...row }: OfferRow,
): OfferRow {
  return { ...row, ...bench.scrub(row.server, { definition, inputSchema, title, description, warnings }) };
}

async function rowsOf(bench: Workbench, kind: OfferKind, query: string): Promise<readonly OfferRow[]> {
  const { catalogue } = bench.session;
  const rows = await allRows(bench, kind);
  if (query === '') return rows;
  const byName = new Map(rows.map((row) => [row.name, row]));
  return (await catalogue.search(query, [kind])).flatMap(({ name }) => byName.get(name) ?? []);
}

async function allRows(bench: Workbench, kind: OfferKind): Promise<readonly OfferRow[]> {
  const { catalogue } = bench.session;
  if (kind === 'tool') {
    const findings = await lintRows(bench, undefined);
    return Promise.all(
      (await catalogue.tools()).map((tool) => toolRow(tool, findings.filter(({ name }) => name === tool.name).length)),
    );
  }
  const lists = {
    prompt: () => catalogue.prompts(),
    resource: () => catalogue.resources(),
    template: () => catalogue.templates(),
  };
  return (await lists[kind]()).map((one) => {
    const definition: JsonObject = { ...one.definition };
    const key = textOfValue(definition['uri'] ?? definition['uriTemplate'] ?? definition['name']);
    const { hash, status, warnings = [], tokens } = one as Partial<OfferRow>; // which members exist depends on the kind
    return {
      ...{ kind, server: one.server, name: one.name, key, title: one.title, definition, warnings, findings: 0 },
      ...{ description: textOfValue(definition['description'] ?? ''), hash, status, tokens },
    };
  });
}

async function toolRow(tool: CatalogueTool, findings: number): Promise<OfferRow> {
  const { definition, server, name, title, description, inputSchema, hash, status, warnings } = tool;
  const { claimed, assumed } = claimsOf(definition.annotations);
  const task = definition.execution?.taskSupport;
  return {
    ...{ kind: 'tool', server, name, key: definition.name, title, description },
    ...{ inputSchema, hash, status, warnings, findings },
    definition: { ...definition },
    tokens: tokensOf(tool),
    effects: assumed === true ? 'unknown' : claimed,
    view: viewUriOf(definition),
    task: task === 'required' || task === 'optional' ? task : undefined,
    icon: await iconOf(definition),
  };
}

/** The first embedded (`data:`) icon, validated. Remote icons are never fetched. */
async function iconOf({ icons = [] }: Tool): Promise<string | undefined> {
  const icon = icons.find(({ src }) => src.startsWith('data:'));
  const checked = icon === undefined ? undefined : await checkedIcon(icon);
  if (checked === undefined || 'refused' in checked) return undefined;
  // Rebuilt from the validated bytes, not copied from the definition.
  return `data:${checked.image.type};base64,${Buffer.from(checked.image.bytes).toString('base64')}`;
}

const jsonTokens = (value: unknown): number => (value === undefined ? 0 : estimateTokens(JSON.stringify(value)));

const tokensOf = ({
  name,
  description,
  inputSchema,
}: Pick<CatalogueTool, 'name' | 'description' | 'inputSchema'>): number =>
  jsonTokens({ name, description, input_schema: inputSchema });

/** The parts add up to `tokens`: the JSON around them is counted as schema. */
function tokenRow(tool: CatalogueTool): TokenRow {
  const tokens = tokensOf(tool);
  const [name, description] = [jsonTokens(tool.name), jsonTokens(tool.description)];
  const { properties } = tool.inputSchema;
  const fields = Object.entries(isObject(properties) ? properties : {}).map(([key, one]) => ({
    name: key,
    tokens: jsonTokens({ [key]: one }),
  }));
  return {
    server: tool.server,
    name: tool.name,
    tokens,
    parts: { name, description, schema: tokens - name - description },
    fields,
  };
}

async function lintRows(bench: Workbench, server: string | undefined): Promise<readonly LintRow[]> {
  const { catalogue } = bench.session;
  const [tools, prompts, templates] = await Promise.all([
    catalogue.tools(),
    catalogue.prompts(),
    catalogue.templates(),
  ]);
  const labels = bench.servers.list().flatMap(({ label }) => (server === undefined || label === server ? [label] : []));
  const texts = new Map(catalogue.instructions().map((one) => [one.server, one.text]));
  const of = <T extends { readonly server: string; readonly definition: D }, D>(
    items: readonly T[],
    label: string,
  ): D[] => items.flatMap((one) => (one.server === label ? [one.definition] : []));
  return labels.flatMap((label) => {
    const { name, version } = bench.servers.info(label);
    const subject: LintedServer = {
      server: name === undefined ? undefined : { name, version: version ?? '' },
      instructions: texts.get(label),
      ...{ tools: of(tools, label), prompts: of(prompts, label), templates: of(templates, label) },
      others: tools.flatMap((one) => (one.server === label ? [] : [one.definition])),
      withoutData: bench.toolsWithoutData(label),
    };
    const byItem = new Map(
      tools.filter((one) => one.server === label).map((one) => [`tool ${one.definition.name}`, one.name]),
    );
    return bench.options
      .lint(subject)
      .map((finding) => ({ ...bench.scrub(label, finding), server: label, name: byItem.get(finding.item) }));
  });
}
