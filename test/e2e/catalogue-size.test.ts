/**
 * The cost of a run with a large catalogue, in JavaScript function calls, which V8 counts deterministically. Work that depends on the
 * number of tools must be done once per version of the catalogue, not in each run.
 */
import { Session as Inspector } from 'node:inspector/promises';
import { expect, test } from 'vitest';
import { createHost, rules, type ScriptLine, scriptedModel } from '../../src/host/index.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { thousandTools } from '../fixtures/host/thousand-tools.ts';
import { questions } from '../fixtures/host/tool-questions.ts';
import { Offering } from '../support/stocked.ts';

const RUNS = 10;
/** The maximum cost of a run over 1,000 tools, as a multiple of a run over 10. */
const MOST = 3;

const tools = [...thousandTools].flatMap(([label, listed]) =>
  listed.map((tool): JsonObject => ({ ...tool, name: `${label}_${String(tool['name'])}` })),
);

/** The function calls that a task makes. */
async function countCalls(task: () => Promise<void>): Promise<number> {
  const inspector = new Inspector();
  inspector.connect();
  await inspector.post('Profiler.enable');
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await task();
  const { result } = await inspector.post('Profiler.takePreciseCoverage');
  inspector.disconnect();
  const counts = result.flatMap(({ functions }) => functions.map(({ ranges }) => ranges[0]?.count ?? 0));
  return counts.reduce((sum, calls) => sum + calls, 0);
}

/** Function calls of one run with one tool call, after warm-up, with a new prompt each time. */
async function callsPerRun(count: number, sessions: 'one session' | 'a new session each'): Promise<number> {
  const offered = tools.slice(0, count);
  const name = `shop__${String(offered[0]?.['name'])}`;
  const script = Array.from({ length: 2 * RUNS }, (): ScriptLine[] => [
    [{ type: 'tool_use', id: 'a', name, input: {} }],
    'done',
  ]);
  const answer = (): JsonObject => ({ content: [{ type: 'text', text: 'ahoy' }] });
  const shop = new Offering({ tools: offered }, { on: { 'tools/call': answer } });
  await using host = createHost({
    servers: { shop: shop.server.transport },
    policy: [rules.allow({})],
    model: scriptedModel(script.flat()),
    health: false,
  });
  await using kept = host.session();
  const run = async (from: number): Promise<void> => {
    for (let i = 0; i < RUNS; i++) {
      const events: string[] = [];
      const session = sessions === 'one session' ? kept : host.session();
      for await (const { type } of session.run(questions[from + i]?.query ?? '')) events.push(type);
      expect(events).toEqual(expect.arrayContaining(['tool-start', 'tool-result', 'done']));
    }
  };
  await run(0);
  return (await countCalls(() => run(RUNS))) / RUNS;
}

test.each(['one session', 'a new session each'] as const)(
  'in %s, a run with one call over 1,000 tools costs at most three times one over 10',
  async (sessions) => {
    const [few, many] = [await callsPerRun(10, sessions), await callsPerRun(1_000, sessions)];
    expect(few).toBeGreaterThan(500);
    expect(many / few).toBeLessThanOrEqual(MOST);
  },
  60_000,
);

/** Function calls of listing ten tools whose descriptions repeat a text up to 60,000 characters. */
async function callsToList(unit: string): Promise<number> {
  const description = unit.repeat(60_000 / unit.length);
  const offered = Array.from({ length: 10 }, (_, i) => ({
    name: `t${i}`,
    description,
    inputSchema: { type: 'object' },
  }));
  const shop = new Offering({ tools: offered });
  await using host = createHost({ servers: { shop: shop.server.transport }, policy: [rules.allow({})], health: false });
  await using session = host.session();
  return await countCalls(async () => {
    expect(await session.tools()).toHaveLength(offered.length);
  });
}

test('listing tools whose descriptions are full of tabs makes few more function calls than with spaces', async () => {
  await callsToList(' x');
  const [spaces, tabs] = [await callsToList(' x'), await callsToList('\tx')];
  expect(tabs / spaces).toBeLessThanOrEqual(1.2);
});
