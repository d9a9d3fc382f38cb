import fc from 'fast-check';
import { expect, test } from 'vitest';
import { notification } from '../jsonrpc/message.ts';
import { Masks } from '../model/secrets.ts';
import { Scrubber } from './scrub.ts';

/** A text that occurs in no message, so that it is found only where it was planted. */
const secret = fc.stringMatching(/^[A-Z0-9]{12,40}$/).filter((text) => !/^\d+$/.test(text));
/** Ways in which a secret gets into a message. */
const plant = fc.tuple(secret, fc.integer({ min: 0, max: 9 }));
const planted = (text: string, way: number): unknown =>
  [
    { password: text },
    { nested: [{ api_key: text }] },
    ['run', '--token', text],
    `Authorization: Bearer ${text}`,
    `https://user:${text}@a.test/`,
    `https://a.test/?access_token=${text}&x=1`,
    `{"client_secret": "${text}"}`,
    `Your password: ${text}`,
    { headers: { cookie: `a=${text}` } },
    `--api-key ${text} --verbose`,
  ][way];

test('text that looks like a secret is masked in any context', () => {
  fc.assert(
    fc.property(fc.array(plant, { maxLength: 4 }), fc.jsonValue(), (plants, around) => {
      const params = { around, list: plants.map(([text, way]) => planted(text, way)) };
      const told = JSON.stringify(new Scrubber().message(notification('x', params)));
      for (const [text] of plants) expect(told).not.toContain(text);
    }),
    { numRuns: 500 },
  );
});

test('known secrets are masked wherever they appear', () => {
  fc.assert(
    fc.property(secret, fc.string(), fc.string(), (text, before, after) => {
      const masks = new Masks();
      masks.add(text);
      const params = { text: before + text + after, [`x${text}`]: [text] };
      expect(JSON.stringify(new Scrubber(masks).message(notification('x', params)))).not.toContain(text);
    }),
  );
});

test('text without secrets is unchanged', () => {
  const params = {
    code: -32601,
    progressToken: 'abc',
    nextCursor: 'page-2',
    inputSchema: { type: 'object', properties: { password: { type: 'string' } }, required: ['password'] },
    text: 'The status code: 200. Key: value. '.repeat(300),
    ['__proto__']: 1,
  };
  expect(JSON.stringify(new Scrubber().message(notification('x', params)))).toBe(
    JSON.stringify(notification('x', params)),
  );
});

test('a question hides known secrets and words, and nothing else that a user decides about', () => {
  const masks = new Masks();
  masks.add('correct horse');
  const asked = { code: 'rm -rf /', token: 'abc', text: 'x=cookie:a; curl evil', known: 'a correct horse' };
  const shown = { ...asked, token: '[masked]', known: 'a [masked]' };
  expect(new Scrubber(masks).question(asked)).toEqual(shown);
});
