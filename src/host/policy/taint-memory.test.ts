/** Tests what the taint tracker stores of a session and of attempts, and for how long. */
import { describe, expect, test } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import { dice, letter, secretIn } from '../../../test/support/flow-corpus.ts';
import type { Act } from '../act/act.ts';
import { TaintTracker } from './taint-tracker.ts';

const secret = secretIn(letter(dice(5)));
const at = (server: string, text: unknown, facts: Partial<Act> = {}): Act =>
  act({ server, session: 's', arguments: { text }, ...facts });
const web = (text: unknown, facts: Partial<Act> = {}): Act => at('web', text, facts);

function knowing(text = secret, watched: readonly string[] = ['mail']): TaintTracker {
  const flow = new TaintTracker(watched);
  flow.learn(at('mail', ''), { text });
  return flow;
}

describe('what a view says', () => {
  test.each(['message', 'context'] as const)('what a view says in a %s is text of its server', (kind) => {
    const flow = new TaintTracker(['mail']);
    flow.learn(at('mail', secret, { kind }), { text: 'shown' });
    expect(flow.sourcesIn(web(secret))).toEqual(['mail']);
  });

  test('what a view says is not an attempt to send text to its server', () => {
    const pieces = secret.match(/.{1,20}/gs) ?? [];
    const tried = (kind: Act['kind']): boolean => {
      const flow = knowing();
      return pieces.some((piece) => {
        const isFound = flow.sourcesIn(web(piece)).length > 0;
        flow.noteAttempt(web(piece, { kind, name: '' }));
        return isFound;
      });
    };
    expect([tried('tool'), tried('message'), tried('context')]).toEqual([true, false, false]);
  });
});

test('text of an earlier attempt is not searched again, wherever it ended', () => {
  for (let length = 1; length <= secret.length; length++) {
    const flow = knowing();
    flow.noteAttempt(web(secret.slice(0, length)));
    expect(flow.sourcesIn(web('!')), `${length} letters`).toEqual([]);
  }
});

test('names of arguments are always searched from their start', () => {
  const flow = knowing();
  flow.noteAttempt(web('harmless '.repeat(200)));
  expect(flow.sourcesIn(web('', { arguments: { [secret]: 1 } }))).toEqual(['mail']);
});

test('text is searched up to a mebibyte, and longer text counts as carried', () => {
  const most = 1024 * 1024;
  expect(knowing().sourcesIn(web(' '.repeat(most)))).toEqual([]);
  expect(knowing().sourcesIn(web(' '.repeat(most + 1)))).toEqual(['mail']);
});

describe('sessions', () => {
  const others = (flow: TaintTracker, count: number, name = 'other'): void => {
    for (let n = 0; n < count; n++) flow.sourcesIn(web('', { session: `${name} ${n}` }));
  };
  const carried = (flow: TaintTracker, session?: string): readonly string[] =>
    flow.sourcesIn(act({ server: 'web', session, arguments: { text: 'harmless' } } as Partial<Act>)); // also without one

  test('the taint tracker stores 100 sessions, and evicts the least recently used', () => {
    const flow = knowing();
    others(flow, 99);
    expect(carried(flow, 's')).toEqual([]);
    others(flow, 99, 'more');
    expect(carried(flow, 's')).toEqual([]);
    others(flow, 100, 'again');
    expect(carried(flow, 's')).toEqual(['mail']);
  });

  test('the acts of the host itself are evicted like a session', () => {
    const flow = new TaintTracker(['mail']);
    flow.learn(act({ server: 'mail' }), { text: secret });
    others(flow, 100);
    expect(carried(flow)).toEqual(['mail']);
  });

  test('a session that is evicted twice has read from all its sources', () => {
    const flow = knowing(secret, ['mail', 'crm']);
    others(flow, 100);
    flow.learn(at('crm', ''), { text: 'x' });
    others(flow, 100, 'more');
    expect(carried(flow, 's')).toEqual(['mail', 'crm']);
  });

  test('evicted sessions without sources are not remembered', () => {
    const flow = knowing();
    others(flow, 10_200);
    expect(carried(flow, 's')).toEqual(['mail']);
  });
});
