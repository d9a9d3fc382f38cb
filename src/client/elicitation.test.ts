import { describe, expect, test } from 'vitest';
import { verifies } from '../../test/support/verifies.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import type { ElicitResult } from '../model/elicitation.ts';
import { encodeFormAnswer, encodeUrlAnswer, readFormRequest, readUrlRequest } from './elicitation.ts';
import { valueFromLine } from './form-field.ts';

const form = (properties: JsonObject, required: string[] = []): ReturnType<typeof readFormRequest> =>
  readFormRequest({ message: 'Please', requestedSchema: { type: 'object', properties, required } });
const accept = (content: Record<string, unknown>): ElicitResult => ({
  action: 'accept',
  content: content as NonNullable<ElicitResult['content']>, // wrong on purpose, in some tests
});
const never = new Promise<void>(() => undefined);

describe('a form', () => {
  test('a form has the defaults that are valid for their fields', () => {
    verifies('ELIC-21');
    const { defaults } = form({
      name: { type: 'string', default: 'Ada' },
      age: { type: 'integer', default: 36, minimum: 18 },
      small: { type: 'integer', default: 3, minimum: 18 },
      ok: { type: 'boolean', default: false },
      pets: { type: 'array', items: { enum: ['cat', 'dog'] }, default: ['cat'] },
      note: { type: 'string' },
    });
    expect(defaults).toEqual({ name: 'Ada', age: 36, ok: false, pets: ['cat'] });
  });

  test('an accepted form contains the defaults of fields that the user did not fill in', () => {
    verifies('ELIC-21', 'ELIC-22');
    const request = form({ name: { type: 'string', default: 'Ada' }, age: { type: 'number' } }, ['name']);
    expect(encodeFormAnswer(request, accept({ age: 36 }))).toEqual({
      action: 'accept',
      content: { name: 'Ada', age: 36 },
    });
    expect(encodeFormAnswer(request, { action: 'accept' })).toEqual({ action: 'accept', content: { name: 'Ada' } });
  });

  test('a form has content only if it is accepted', () => {
    verifies('ELIC-22');
    const request = form({ name: { type: 'string', default: 'Ada' } });
    expect(encodeFormAnswer(request, { action: 'decline', content: { name: 'Bob' } })).toEqual({ action: 'decline' });
    expect(encodeFormAnswer(request, { action: 'cancel' })).toEqual({ action: 'cancel' });
    expect(() => encodeFormAnswer(request, { action: 'yes' } as unknown as ElicitResult)).toThrow('not "yes"'); // wrong on purpose
  });

  test.each<[string, unknown]>([
    ['a text', 'name'],
    ['something with a length', { length: 1 }],
    ['a list of something else', [{ toString: 5 }]],
  ])('a form whose required fields are %s is invalid', (_what, required) => {
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required } as JsonObject; // wrong on purpose
    expect(() => readFormRequest({ message: 'Please', requestedSchema })).toThrow('"required" must be a list of names');
  });

  test('a form with a default of 400,000 choices out of as many is read in linear time', () => {
    // Quadratic work would take minutes.
    const names = Array.from({ length: 400_000 }, (_, at) => `choice ${at}`);
    const { defaults } = form({ pets: { type: 'array', items: { enum: names }, default: names } });
    expect(defaults['pets']).toHaveLength(400_000);
  });

  const one = { const: 'a', title: 'A' };
  test.each<[string, JsonObject, unknown, string | undefined]>([
    ['text', { type: 'string' }, 'x', undefined],
    ['no text', { type: 'string' }, 1, 'be a string'],
    ['short text', { type: 'string', minLength: 2 }, '😀', 'have at least 2 characters'],
    ['long text', { type: 'string', maxLength: 1 }, '😀', undefined],
    ['longer text', { type: 'string', maxLength: 1 }, 'ab', 'have at most 1 characters'],
    ['an address', { type: 'string', format: 'email' }, 'a@b.c', undefined],
    ['no address', { type: 'string', format: 'email' }, 'a b@c', 'be a valid email'],
    ['a uri', { type: 'string', format: 'uri' }, 'https://a.example/b', undefined],
    ['no uri', { type: 'string', format: 'uri' }, 'a b', 'be a valid uri'],
    ['a date', { type: 'string', format: 'date' }, '2024-02-29', undefined],
    ['no date', { type: 'string', format: 'date' }, '2023-02-29', 'be a valid date'],
    ['no month', { type: 'string', format: 'date' }, '2024-13-01', 'be a valid date'],
    ['no year', { type: 'string', format: 'date' }, 'x024-02-29', 'be a valid date'],
    ['no digits', { type: 'string', format: 'date' }, '2024-02-2x', 'be a valid date'],
    ['no hour', { type: 'string', format: 'date-time' }, '2024-02-29T1x:00:00Z', 'be a valid date-time'],
    ['no minute', { type: 'string', format: 'date-time' }, '2024-02-29T12:0x:00Z', 'be a valid date-time'],
    ['no second', { type: 'string', format: 'date-time' }, '2024-02-29T12:00:0xZ', 'be a valid date-time'],
    ['no fraction', { type: 'string', format: 'date-time' }, '2024-02-29T12:00:00.xZ', 'be a valid date-time'],
    ['no offset', { type: 'string', format: 'date-time' }, '2024-02-29T12:00:00+0x:00', 'be a valid date-time'],
    ['no offset minute', { type: 'string', format: 'date-time' }, '2024-02-29T12:00:00+01:0x', 'be a valid date-time'],
    ['an address without a name', { type: 'string', format: 'email' }, '@b.c', 'be a valid email'],
    ['an address without a host', { type: 'string', format: 'email' }, 'a@', 'be a valid email'],
    ['the least', { type: 'number', minimum: 1, maximum: 1 }, 1, undefined],
    ['a moment', { type: 'string', format: 'date-time' }, '2024-02-29T12:00:00.5+01:00', undefined],
    ['no moment', { type: 'string', format: 'date-time' }, '2024-02-29 12:00', 'be a valid date-time'],
    ['any format', { type: 'string', format: 'hex' }, 'zz', undefined],
    ['a number', { type: 'number', minimum: 0, maximum: 1 }, 0.5, undefined],
    ['no number', { type: 'number' }, Number.NaN, 'be a number'],
    ['no whole number', { type: 'integer' }, 0.5, 'be a whole number'],
    ['too little', { type: 'number', minimum: 1 }, 0, 'be at least 1'],
    ['too much', { type: 'number', maximum: 1 }, 2, 'be at most 1'],
    ['yes', { type: 'boolean' }, true, undefined],
    ['maybe', { type: 'boolean' }, 'yes', 'be true or false'],
    ['a choice', { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'] }, 'b', undefined],
    ['no choice', { type: 'string', enum: ['a', 'b'] }, 'c', 'be one of ["a","b"]'],
    ['a titled choice', { type: 'string', oneOf: [one] }, 'a', undefined],
    ['no titled choice', { type: 'string', oneOf: [one] }, 'A', 'be one of ["a"]'],
    ['choices', { type: 'array', items: { enum: ['a', 'b'] } }, ['b', 'a'], undefined],
    ['titled choices', { type: 'array', items: { anyOf: [one] } }, ['a'], undefined],
    ['wrong choices', { type: 'array', items: { enum: ['a'] } }, ['b'], 'have choices out of ["a"]'],
    ['too few choices', { type: 'array', items: { enum: ['a'] }, minItems: 1 }, [], 'have at least 1 of the choices'],
    ['too many', { type: 'array', items: { enum: ['a', 'b'] }, maxItems: 1 }, ['a', 'b'], 'have at most 1 of the'],
    ['no list', { type: 'array', items: { enum: ['a'] } }, 'a', 'be a list'],
  ])('form validation: %s', (_name, field, value, fault) => {
    verifies('ELIC-63');
    const answer = (): unknown => encodeFormAnswer(form({ it: field }), accept({ it: value }));
    if (fault === undefined) expect(answer()).toEqual({ action: 'accept', content: { it: value } });
    else expect(answer).toThrow(`The result of elicitation/create is malformed: "it" must ${fault}`);
  });

  test('a form rejects missing required fields, and fields that were not requested', () => {
    verifies('ELIC-63');
    const request = form({ name: { type: 'string' } }, ['name', 'toString']);
    expect(() => encodeFormAnswer(request, accept({}))).toThrow('"name" is required and missing');
    expect(() => encodeFormAnswer(request, accept({ name: 'a' }))).toThrow('"toString" is required and missing');
    expect(() => encodeFormAnswer(form({}), accept({ constructor: 'x' }))).toThrow('"constructor" was not asked for');
  });

  test.each<[string, JsonObject]>([
    ['an object', { type: 'object', properties: {} }],
    ['a list of objects', { type: 'array', items: { type: 'object' } }],
    ['anything', {}],
    ['null', null as never],
  ])('a form with %s is rejected', (_name, field) => {
    expect(() => form({ it: field })).toThrow(expect.objectContaining({ code: -32602 }));
  });

  test('a form without a message or a schema is rejected', () => {
    expect(() => readFormRequest({ requestedSchema: { properties: {} } })).toThrow('"message" must be a string');
    expect(() => readFormRequest({ message: 'x' })).toThrow('"requestedSchema" must be');
  });
});

describe('a page to visit', () => {
  test('a URL request has the full URL, the host and warnings', () => {
    verifies('ELIC-58', 'ELIC-60');
    const request = (url: string): ReturnType<typeof readUrlRequest> => readUrlRequest({ message: 'Go', url }, never);
    expect(request('https://bank.example:8443/a?b#c')).toMatchObject({
      url: 'https://bank.example:8443/a?b#c',
      host: 'bank.example:8443',
      warnings: [],
    });
    expect(request('http://bank.example@evil.example/').warnings).toEqual(['credentials', 'insecure']);
    expect(request('https://bаnk.example/').warnings).toEqual(['punycode']);
    expect(request('https://xn--bnk-7cd.example/').warnings).toEqual(['punycode']);
    expect(request('https://taxn--office.example/').warnings).toEqual([]);
  });

  test.each(['javascript:alert(1)', 'file:///etc/passwd', 'not a URL', 7, ['https://bank.example']])(
    'a page at %j is rejected',
    (url) => {
      expect(() => readUrlRequest({ message: 'Go', url }, never)).toThrow(expect.objectContaining({ code: -32602 }));
    },
  );

  test.each(['$(reboot)', '`id`', "'x'", '"x"', 'a b', 'a|b', 'a\\b', 'a<b', 'a\nb', '\u0085'])(
    'a URL with %j is rejected, because a shell could run it',
    (part) => {
      const url = `https://bank.example/${part}`;
      expect(() => readUrlRequest({ message: 'Go', url }, never)).toThrow(expect.objectContaining({ code: -32602 }));
    },
  );

  test('an accepted visit is answered without content', () => {
    verifies('ELIC-23');
    const answer: ElicitResult = { action: 'accept', content: { a: 1 } };
    expect(encodeUrlAnswer(answer)).toEqual({ action: 'accept' });
  });
});

describe('a line that the user typed', () => {
  test.each([
    ['number', '12.5', 12.5],
    ['integer', ' 7 ', 7],
    ['number', '', ''],
    ['integer', '   ', '   '],
    ['number', 'many', 'many'],
    ['boolean', 'Yes', true],
    ['boolean', 'n', false],
    ['boolean', '', ''],
    ['boolean', 'any', 'any'],
    ['boolean', 'piano', 'piano'],
    ['boolean', 'yesterday', 'yesterday'],
    ['boolean', 'north', 'north'],
    ['string', ' a ', ' a '],
    ['array', 'a, b', ['a', 'b']],
  ])('for a field of type %s, the line "%s" is %j', (type, line, value) => {
    expect(valueFromLine({ type }, line)).toEqual(value);
  });
});
