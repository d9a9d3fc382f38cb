/** The parser of server-sent events: the cases of the standard, cut into any chunks. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/support/verifies.ts';
import { McpError } from '../../errors.ts';
import { type SseEvent, SseParser } from './sse-parser.ts';

interface Read {
  readonly events: readonly SseEvent[];
  readonly id: string | undefined;
  readonly retry: number | undefined;
}

function read(pieces: readonly string[], maxLength?: number): Read {
  const events: SseEvent[] = [];
  const parser = new SseParser((event) => events.push(event), maxLength);
  for (const piece of pieces) parser.push(piece);
  return { events, id: parser.lastEventId, retry: parser.retry };
}

const message = (data: string): SseEvent => ({ type: 'message', data });

const cases: [string, string, readonly SseEvent[], Partial<Read>?][] = [
  ['LF', 'data: a\n\ndata: b\n\n', [message('a'), message('b')]],
  ['CR', 'data: a\r\rdata: b\r\r', [message('a'), message('b')]],
  ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', [message('a'), message('b')]],
  ['all three', 'data: a\r\n\ndata: b\r\n\r\ndata: c\r\r', [message('a'), message('b'), message('c')]],
  ['a byte order mark', '\ufeffdata: a\n\n', [message('a')]],
  ['only one of two marks', '\ufeff\ufeffdata: a\n\ndata: b\n\n', [message('b')]],
  ['a mark further in', 'data: \ufeffa\n\n', [message('\ufeffa')]],
  ['comments', ': hello\n:\ndata: a\n: in between\ndata: b\n\n:bye\n\n', [message('a\nb')]],
  ['several lines', 'data: a\ndata:\ndata: b\n\n', [message('a\n\nb')]],
  ['one space and no more', 'data:a\ndata: b\ndata:  c\n\n', [message('a\nb\n c')]],
  ['a field without a colon', 'data\ndata\n\n', [message('\n')]],
  ['a colon in the value', 'data: {"a":1}\n\n', [message('{"a":1}')]],
  ['empty data', 'id: 1\ndata: \n\n', [message('')], { id: '1' }],
  ['an id without data', 'id: 7\n\n', [], { id: '7' }],
  ['an id that is taken back', 'id: 7\ndata: a\n\nid\ndata: b\n\n', [message('a'), message('b')], { id: '' }],
  ['an id that stays', 'id: 7\ndata: a\n\ndata: b\n\n', [message('a'), message('b')], { id: '7' }],
  ['an id with NUL', 'id: 7\n\nid: 8\0\ndata: a\n\n', [message('a')], { id: '7' }],
  ['an id of an event that never ends', 'id: 7\n\nid: 8\ndata: a\n', [], { id: '7' }],
  ['a type', 'event: endpoint\ndata: /post\n\ndata: a\n\n', [{ type: 'endpoint', data: '/post' }, message('a')]],
  ['an empty type', 'event: x\nevent:\ndata: a\n\n', [message('a')]],
  ['a type without data', 'event: x\n\ndata: a\n\n', [message('a')]],
  ['retry', 'retry: 1500\n\n', [], { retry: 1500 }],
  ['retry of zero', 'retry:0\n\n', [], { retry: 0 }],
  ['retry that is not digits', 'retry: 10\nretry: 1e3\nretry: -1\nretry:\nretry: 1 \n\n', [], { retry: 10 }],
  ['retry beyond any timer', 'retry: 99999999999999999999\n\n', [], { retry: 2 ** 31 - 1 }],
  ['unknown fields', 'dat: a\ndatas: b\nidx: c\nevents: d\nretryx: 5\nData: e\n data: f\n\n', []],
  ['blank lines', '\n\n\r\n\r\r\ndata: a\n\n\n\n', [message('a')]],
  ['an end without a blank line', 'data: a\n\ndata: b\n', [message('a')]],
];

describe('what the standard says', () => {
  test.each(cases)('the parser follows the standard about %s', (_, text, events, rest = {}) => {
    verifies('HTTP-115');
    expect(read([text])).toMatchObject({ events, ...rest });
    expect(read([text]).events).toEqual(events);
  });
});

test('the parser gives the same events, however the stream is cut into chunks', () => {
  const line = fc.constantFrom('data: a', 'data', ':', 'id: 1', 'id', 'event: e', 'retry: 5', 'x: y', '', '', '\ufeff');
  const stream = fc
    .array(fc.tuple(line, fc.constantFrom('\n', '\r', '\r\n')), { maxLength: 30 })
    .map((lines) => lines.map(([text, end]) => text + end).join(''));
  const cuts = fc.array(fc.nat(400), { maxLength: 20 });
  fc.assert(
    fc.property(stream, cuts, (text, places) => {
      const at = [0, ...places.filter((place) => place <= text.length).sort((a, b) => a - b), text.length];
      const pieces = at.slice(1).map((end, i) => text.slice(at[i], end));
      expect([pieces.join(''), read(pieces)]).toEqual([text, read([text])]);
    }),
    { numRuns: 2000 },
  );
});

test('the parser agrees with a literal implementation of the standard', () => {
  const text = fc.stringMatching(/^(?:(?:data|id|event|retry|: ?|x)?:? ?[a1\ufeff]?(?:\r\n|\n|\r)){0,20}$/);
  fc.assert(
    fc.property(text, (stream) => {
      expect(read([stream])).toEqual(literally(stream));
    }),
    { numRuns: 2000 },
  );
});

/** A literal implementation of the standard, slow, on the whole text. */
function literally(stream: string): Read {
  const events: SseEvent[] = [];
  let id: string | undefined;
  let buffered: string | undefined;
  let retry: number | undefined;
  let [type, data] = ['', ''];
  const lines = stream.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  lines.pop();
  for (const line of lines) {
    const [, field = line, value = ''] = /^([^:]*)(?:: ?(.*))?$/su.exec(line) ?? [];
    if (line === '') {
      id = buffered ?? id;
      if (data !== '') events.push({ type: type === '' ? 'message' : type, data: data.slice(0, -1) });
      [type, data] = ['', ''];
    } else if (field === 'event') type = value;
    else if (field === 'data') data += `${value}\n`;
    else if (field === 'id' && !value.includes('\0')) buffered = value;
    else if (field === 'retry' && /^\d+$/.test(value)) retry = Number(value);
  }
  return { events, id, retry };
}

describe('an event that is too long', () => {
  const limit = 100;
  const tooLong = (text: string): unknown => {
    try {
      return read([text], limit).events.length;
    } catch (error) {
      return error instanceof McpError ? error.code : error;
    }
  };

  test('an event that is too long is rejected as soon as possible, in one line or in many', () => {
    expect(tooLong(`data: ${'x'.repeat(limit)}\n\n`)).toBe(1);
    expect(tooLong(`data: ${'x'.repeat(limit + 1)}\n\n`)).toBe('MCP_TOO_LARGE');
    expect(tooLong('x'.repeat(limit))).toBe(0);
    expect(tooLong('x'.repeat(limit + 1))).toBe('MCP_TOO_LARGE');
    expect(tooLong(`:${'x'.repeat(limit + 1)}`)).toBe('MCP_TOO_LARGE');
    expect(tooLong('data: 123456789\n'.repeat(10))).toBe(0);
    expect(tooLong(`${'data: 123456789\n'.repeat(10)}data: 1\n`)).toBe('MCP_TOO_LARGE');
  });

  test('many short events do not count as one long event', () => {
    expect(tooLong('data: 123456789\n\n'.repeat(1000))).toBe(1000);
    expect(tooLong(': alive\n'.repeat(1000))).toBe(0);
  });
});
