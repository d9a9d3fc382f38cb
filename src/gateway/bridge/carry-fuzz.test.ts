/** Fuzzing of questions and answers: hostile messages are forwarded or rejected, and never break the gateway. */
import { expect, test } from 'vitest';
import { RpcError } from '../../errors.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { revisions } from '../../revisions/index.ts';
import { carryAnswer } from './carry-answer.ts';
import { carryQuestion } from './carry-question.ts';
import { questionCapabilities } from './question-capabilities.ts';

const declared = { elicitation: { form: {}, url: {} }, sampling: { tools: {}, context: {} }, roots: {} };
const settings = { visit: { hosts: ['pay.example'] } };
const methods = ['elicitation/create', 'sampling/createMessage', 'roots/list', 'ping', '__proto__', ''];
const names = [
  'mode',
  'message',
  'url',
  'requestedSchema',
  'properties',
  'type',
  'items',
  'enum',
  'oneOf',
  'anyOf',
  'const',
  'required',
  'messages',
  'role',
  'content',
  'text',
  'maxTokens',
  'tools',
  'modelPreferences',
  'action',
  'roots',
  'uri',
  'model',
  'constructor',
  '__proto__',
  'q1',
];
const texts = [
  'form',
  'url',
  'object',
  'array',
  'string',
  'user',
  'assistant',
  'tool_use',
  'tool_result',
  'accept',
  'https://pay.example/',
  'javascript:x',
  '\u202e',
  '',
];

/** Values that are nearly valid: protocol names and texts in any place. */
class Fuzz {
  #seed: number;
  constructor(seed: number) {
    this.#seed = seed;
  }
  below(count: number): number {
    this.#seed = (this.#seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((this.#seed / 2_147_483_648) * count);
  }
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T; // the index is within the list
  }
  value(depth = 0): unknown {
    const kind = this.below(depth > 4 ? 5 : 8);
    if (kind < 2) return this.pick(texts);
    if (kind === 2) return this.pick([0, -1, 1.5, 1e300]);
    if (kind === 3) return this.pick([null, true, false]);
    if (kind === 4) return [];
    if (kind === 5) return Array.from({ length: this.below(4) }, () => this.value(depth + 1));
    return this.object(depth + 1);
  }
  object(depth = 0): JsonObject {
    const entries = Array.from({ length: this.below(6) }, () => [this.pick(names), this.value(depth + 1)] as const);
    return JSON.parse(JSON.stringify(Object.fromEntries(entries))) as JsonObject; // as a peer would send it
  }
}

test('10,000 random questions and answers are carried, or rejected with −32601 or −32602', () => {
  const fuzz = new Fuzz(11);
  const ends = new Map<string, number>();
  const note = (end: string): void => void ends.set(end, (ends.get(end) ?? 0) + 1);
  const message = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
  for (let round = 0; round < 10_000; round++) {
    const [revision, to] = [fuzz.pick(revisions), fuzz.pick(revisions)];
    const capabilities = questionCapabilities(declared, revision, settings);
    const params = fuzz.below(2) === 0 ? fuzz.object() : { ...message, ...fuzz.object() };
    try {
      const question = carryQuestion(
        { method: fuzz.pick(methods), params },
        { label: 'dock', settings, capabilities, revision },
      );
      expect(isObject(question.encoded)).toBe(true);
      note('carried');
      const answer = carryAnswer(
        question,
        fuzz.below(2) === 0 ? fuzz.value() : { action: 'accept', ...fuzz.object() },
        { from: revision, to },
      );
      note(answer === undefined ? 'no answer' : 'answered');
    } catch (error) {
      expect(error).toBeInstanceOf(RpcError);
      note(String((error as RpcError).code)); // the only exception that is expected
    }
  }
  expect([...ends.keys()].toSorted()).toEqual(['-32601', '-32602', 'answered', 'carried', 'no answer']);
  expect(Math.min(...ends.values())).toBeGreaterThan(100);
});
