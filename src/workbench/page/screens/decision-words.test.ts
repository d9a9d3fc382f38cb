import { expect, test } from 'vitest';
import type { DecisionRow } from '../../protocol-rows.ts';
import { decisionWords, outcomeCode, outcomeWords } from './decision-words.ts';

const row = (facts: Partial<DecisionRow>): DecisionRow => ({
  ...{ act: 'a', at: 0, server: 'shop', kind: 'tool', name: 'pay', arguments: {}, rule: 'allow everything', why: '' },
  ...{ verdict: 'allow', allowed: true, phase: 'done', ...facts },
});

test.each<[Partial<DecisionRow>, words: string, code: string | undefined]>([
  [{ allowed: false, phase: 'decided' }, 'not run', undefined],
  [{ phase: 'decided' }, 'running', undefined],
  [{ phase: 'working' }, 'running', undefined],
  [{}, 'done', undefined],
  [{ outcome: 'answered' }, 'answered', undefined],
  [{ outcome: 'the tool says that it failed' }, 'tool error', undefined],
  [{ phase: 'failed', outcome: 'cancelled' }, 'cancelled', undefined],
  [{ phase: 'failed', outcome: 'MCP_TIMEOUT' }, 'timed out', 'MCP_TIMEOUT'],
  [{ phase: 'failed', outcome: 'RpcError -32602' }, 'rejected by the server', 'RpcError -32602'],
  [{ phase: 'failed', outcome: 'MCP_TOO_LARGE' }, 'failed', 'MCP_TOO_LARGE'],
  [{ phase: 'failed' }, 'failed', undefined],
])('the outcome of %j is shown as "%s", and its code is %s', (facts, words, code) => {
  expect([outcomeWords(row(facts)), outcomeCode(row(facts))]).toEqual([words, code]);
});

test.each<[Partial<DecisionRow>, words: string]>([
  [{ ruleIndex: 2 }, 'allowed by rule 3'],
  [{ allowed: false }, 'denied by a built-in rule'],
  [{ allowed: false, consent: { allow: false, edited: false } }, 'denied by you'],
  [{ consent: { allow: true, edited: true } }, 'allowed by you, arguments changed'],
  [{ approval: 'x' }, 'allowed by an approval'],
])('a decision with %j was %s', (facts, words) => {
  expect(decisionWords(row(facts))).toBe(words);
});
