/** Trials are judged by the server's log and the product's output. */
import { expect, test } from 'vitest';
import { type EvidenceLine, revisionsOf } from './evidence.ts';
import { judge, surprises } from './judge.ts';

const call = (tool: string): EvidenceLine => ({ kind: 'message', method: 'tools/call', tool });
const list: EvidenceLine = { kind: 'message', method: 'tools/list' };
const greeting: EvidenceLine = { kind: 'message', method: 'initialize', revision: '2026-07-28' };
const agreed: EvidenceLine = { kind: 'agreed', revision: '2025-11-25' };
const lot = (from: string, value: string): EvidenceLine => ({ kind: 'lot', from, lot: value });
const drawn = [call('draw_lot'), lot('blue hat', 'a1')];
const outcomes = (evidence: readonly EvidenceLine[], heard: string): string[] =>
  judge(evidence, heard).map(({ outcome }) => outcome);

test('a call counts only when the product shows the value that the server drew', () => {
  expect(outcomes(drawn, 'Lot a1')[0]).toBe('worked');
  expect(outcomes(drawn, 'Lot b2')[0]).toBe('result not shown');
  expect(outcomes([], 'Lot a1')[0]).toBe('not called');
});

test('a list change counts only when the new tool is called in the session that saw the change', () => {
  const opened = [greeting, agreed, list, call('open_cellar')];
  const cellar = [call('cellar_lot'), lot('cellar', 'c3')];
  expect(outcomes([...opened, list, ...cellar], 'c3')[1]).toBe('worked');
  expect(outcomes([...opened, list], 'c3')[1]).toBe('listed again, not called');
  expect(outcomes([...opened, greeting, agreed, list, ...cellar], 'c3')[1]).toBe('not listed again');
  expect(outcomes(drawn, 'a1')[1]).toBe('not tried');
});

test.each([
  ['accept', 'The user is Ada', 'worked'],
  ['accept', 'The user is Bob', 'result not shown'],
  ['decline', 'The user chose decline', 'declined'],
  ['cancel', 'The user chose cancel', 'dismissed'],
  ['cannot be asked', '', 'cannot be asked'],
])('a question that ends with %s, shown as "%s", %s', (outcome, heard, expected) => {
  const asked: EvidenceLine = { kind: 'question', outcome, name: 'Ada' };
  expect(outcomes([call('greet_user'), asked], heard)[2]).toBe(expected);
});

test('a question that gets no answer is told from one that was never asked', () => {
  expect(outcomes([call('greet_user')], '')[2]).toBe('not answered');
  expect(outcomes([], '')[2]).toBe('not tried');
});

test('the revision is the one in which the first tool was called, beside the one that was asked for', () => {
  expect(revisionsOf([greeting, agreed, list, call('draw_lot')])).toEqual({
    asked: '2026-07-28',
    spoken: '2025-11-25',
  });
  const modern: EvidenceLine = { kind: 'message', method: 'tools/call', tool: 'draw_lot', revision: '2026-07-28' };
  expect(revisionsOf([modern])).toEqual({ asked: '2026-07-28', spoken: '2026-07-28' });
  expect(revisionsOf([greeting, agreed])).toBeUndefined();
});

test('a product that does less or more than is known of it is a surprise', () => {
  const limit = { check: 'question', outcome: 'declined', because: 'it has no terminal', on: ['http'] } as const;
  const findings = judge(drawn, 'a1').filter(({ check }) => check !== 'list change');
  const declined = findings.map((finding) =>
    finding.check === 'question' ? { ...finding, outcome: 'declined' } : finding,
  );
  expect(surprises(declined, [limit], 'http')).toEqual([]);
  expect(surprises(declined, [limit], 'stdio')).toEqual(['question: declined, expected: worked']);
  const worked = findings.map((finding) => ({ ...finding, outcome: 'worked' }));
  expect(surprises(worked, [limit], 'http')).toEqual(['question: worked, expected: declined']);
});
