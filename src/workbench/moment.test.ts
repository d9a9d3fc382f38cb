import { describe, expect, test } from 'vitest';
import { openTestWorkbench } from '../../test/support/workbench.ts';
import { workbenchShop } from '../../test/support/workbench-shop.ts';
import { createServer, tool } from '../index.ts';
import { revisionIds } from '../revisions/index.ts';
import { Moment, RecordedMoments } from './moment.ts';

const stateAfter = (lines: Parameters<Moment['add']>[0][]): object => {
  const moment = new Moment();
  for (const line of lines) moment.add(line);
  return moment.state;
};

describe('time travel', () => {
  test.each(revisionIds)(
    'has, for every prefix of a recorded session, the state that was live then, in revision %s',
    async (revision) => {
      await using one = await openTestWorkbench({ servers: { shop: workbenchShop() }, connect: [] });
      const live: object[] = [];
      const moment = new Moment();
      one.bench.onMessage(({ side, message }, label) => {
        moment.add({ side, message: one.bench.scrub(label, message) });
        live.push(structuredClone(moment.state));
      });
      await one.page.rpc('servers.connect', { server: 'shop', revision });
      await one.page.rpc('catalogue.list', { kind: 'tool' });
      await one.page.rpc('call', { server: 'shop', tool: 'echo', arguments: { text: 'a' } });
      const calling = one.page.rpc('call', { server: 'shop', tool: 'refund', arguments: { order: 'A-1' }, ref: 'r' });
      if (revision >= '2025-06-18') {
        const { params } = await one.page.heard('question');
        const content = {
          [Object.keys(
            ('requestedSchema' in params.question ? (params.question.requestedSchema['properties'] as object) : {}) ??
              {},
          )[0] ?? '']: true,
        };
        await one.page.rpc('answer', {
          question: params.question.id,
          value: { kind: 'form', action: 'accept', content },
        });
      }
      await calling;
      const info = await one.page.rpc('travel.open', { server: 'shop' });
      expect(info.lines).toBe(live.length);
      for (let line = 1; line <= info.lines; line++) {
        const { state } = await one.page.rpc('travel.at', { line });
        expect([line, state]).toEqual([line, JSON.parse(JSON.stringify(live[line - 1]))]);
      }
    },
  );

  test('a moment has the tools before and after one was added, and the question that is open in between', async () => {
    const server = createServer({
      name: 'x',
      version: '1',
      parts: [tool({ name: 'first', description: 'x', run: () => 'x' })],
    });
    await using one = await openTestWorkbench({ servers: { x: server } });
    await one.page.rpc('catalogue.list', { kind: 'tool' });
    server.add(tool({ name: 'ship', description: 'x', run: () => 'x' }));
    await one.page.heard('catalogue');
    await one.page.rpc('catalogue.list', { kind: 'tool' });
    const { lines } = await one.page.rpc('travel.open', { server: 'x' });
    const states = await Promise.all(
      Array.from({ length: lines }, (_, at) => one.page.rpc('travel.at', { line: at + 1 })),
    );
    const tools = states.map(({ state }) => state.tools.join());
    expect(new Set(tools)).toEqual(new Set(['', 'first', 'first,ship']));
  });

  test.each([{}, { toString: 1, valueOf: 1 }, Object.create(null) as object, [Object.create(null)], '\ud800', null])(
    'takes whatever a server puts in place of a text: %j',
    (poison) => {
      const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' } as const;
      const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'x' } } as const;
      const asked = { q: { method: poison, params: { message: poison } } };
      const state = stateAfter([
        { side: '>', message: list },
        { side: '<', message: { jsonrpc: '2.0', id: 1, result: { tools: [{ name: poison }] } } },
        { side: '>', message: call },
        { side: '<', message: { jsonrpc: '2.0', id: 2, result: { inputRequests: asked } } },
        { side: '<', message: { jsonrpc: '2.0', id: 3, method: 'roots/list', params: { message: poison } } },
      ]);
      const text = typeof poison === 'string' ? poison : JSON.stringify(poison);
      expect(state).toMatchObject({ tools: [text], questions: [{ method: text }, { method: 'roots/list' }] });
    },
  );

  test('a state from the nearest snapshot equals the state from all previous lines', () => {
    const lines = Array.from({ length: 3_500 }, (_, at) => ({
      side: '>' as const,
      ms: at,
      message: { jsonrpc: '2.0' as const, id: at, method: 'tools/list' },
    }));
    const moments = new RecordedMoments(lines);
    for (const count of [3_500, 10, 1_000, 2_001, 0, 3_499])
      expect(moments.at(count)).toEqual(stateAfter(lines.slice(0, count)));
  });
});
