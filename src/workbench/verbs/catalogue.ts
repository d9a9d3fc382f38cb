/** Verbs about what servers offer: lists, token estimates, lint findings, and the tools that fit a model's budget. */
import { Buffer } from 'node:buffer';
import { claimsOf } from '../../host/act/claims.ts';
import { estimateTokens } from '../../host/catalogue/tokens.ts';
import { viewUriOf } from '../../host/catalogue/tool-audience.ts';
import { type CatalogueItem, type CatalogueTool, checkedIcon } from '../../host/index.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { Tool } from '../../model/parts.ts';
import { number, oneOf, optional, string } from '../../model/shape.ts';
import { textOfValue } from '../../model/text-of-value.ts';
import { LintedCatalogue } from '../linted-catalogue.ts';
import type { OfferKind, OfferRow, TokenRow } from '../protocol-rows.ts';
import { type VerbTable, verb } from '../rpc.ts';
import type { Workbench } from '../workbench.ts';

/** Items per page. */
const PAGE = 200;

export function catalogueVerbs(bench: Workbench): VerbTable {
  const { session } = bench;
  const lint = new LintedCatalogue(bench);
  return {
    'catalogue.list': verb(
      { kind: oneOf<OfferKind>('tool', 'resource', 'template', 'prompt'), cursor: optional(string) },
      async ({ kind, cursor = '0' }) => {
        const openingBefore = bench.servers.opening();
        const offers = await offersOf(bench, lint, kind);
        const from = Number(cursor) || 0;
        const rows = await Promise.all(offers.slice(from, from + PAGE).map((row) => row()));
        return {
          items: rows.map((one) => scrubRow(bench, one)),
          total: offers.length,
          problems: bench.offerProblems(),
          away: [...new Set([...openingBefore, ...bench.servers.opening()])],
          ...(offers.length > from + PAGE ? { next: String(from + PAGE) } : {}),
        };
      },
    ),
    'catalogue.tokens': verb({}, async () => {
      const tools = (await session.catalogue.tools()).map(tokenRow);
      return { total: tools.reduce((sum, { tokens }) => sum + tokens, 0), tools };
    }),
    'catalogue.lint': verb({}, async () => ({ findings: await lint.rows() })),
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

/** What servers offer, as functions that make rows: only those on one page are made. */
async function offersOf(
  bench: Workbench,
  lint: LintedCatalogue,
  kind: OfferKind,
): Promise<readonly (() => Promise<OfferRow>)[]> {
  const { catalogue } = bench.session;
  if (kind === 'tool') {
    const counts = new Map<string | undefined, number>();
    for (const { name } of await lint.rows()) counts.set(name, (counts.get(name) ?? 0) + 1);
    return (await catalogue.tools()).map((tool) => () => toolRow(tool, counts.get(tool.name) ?? 0));
  }
  const lists = {
    prompt: () => catalogue.prompts(),
    resource: () => catalogue.resources(),
    template: () => catalogue.templates(),
  };
  return (await lists[kind]()).map((one) => async () => itemRow(kind, one));
}

function itemRow(kind: OfferKind, one: Omit<CatalogueItem, 'kind' | 'key'>): OfferRow {
  const definition: JsonObject = { ...one.definition };
  const key = textOfValue(definition['uri'] ?? definition['uriTemplate'] ?? definition['name']);
  const { hash, status, warnings = [], tokens } = one as Partial<OfferRow>; // which members exist depends on the kind
  return {
    ...{ kind, server: one.server, name: one.name, key, title: one.title, definition, warnings, findings: 0 },
    ...{ description: textOfValue(definition['description'] ?? ''), hash, status, tokens },
  };
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
