import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StderrTail } from './stderr-tail.ts';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'.repeat(6_000);

describe('last words', () => {
  test('a StderrTail keeps the last 64 KiB, in whatever chunks they arrive', () => {
    const chunk = fc.integer({ min: 0, max: 150_000 });
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 8 }), (lengths) => {
        const words = new StderrTail();
        let all = '';
        lengths.forEach((length, i) => {
          const text = LETTERS.slice(i, i + length);
          words.push(Buffer.from(text));
          all += text;
        });
        expect(words.text === all.slice(-64 * 1024)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  test('an empty stderr is quoted as an empty string', () => {
    const words = new StderrTail();
    expect(words.quoted()).toBe('');
    words.push(Buffer.from('\n  \n'));
    expect(words.quoted()).toBe('');
  });

  test('stderr is quoted by its last ten lines, each after a bar', () => {
    const words = new StderrTail();
    words.push(Buffer.from(Array.from({ length: 30 }, (_, i) => `line ${i}\r\n`).join('')));
    const lines = Array.from({ length: 10 }, (_, i) => `\n  | line ${20 + i}`).join('');
    expect(words.quoted()).toBe(`; the end of its stderr:${lines}`);
  });

  test('stderr without a newline is quoted by its last 2,000 characters', () => {
    const words = new StderrTail();
    words.push(Buffer.alloc(5000, 0x78));
    expect(words.quoted()).toBe(`; the end of its stderr:\n  | ${'x'.repeat(2000)}`);
  });

  test('a quoted stderr omits stack frames', () => {
    const words = new StderrTail();
    const frames = Array.from({ length: 20 }, (_, i) => `    at load (node:internal/modules/loader:${i}:1)\n`).join('');
    words.push(
      Buffer.from(`Error: Cannot find module 'nope.ts'\n${frames}  code: 'MODULE_NOT_FOUND'\n\nNode.js v20\n`),
    );
    expect(words.quoted()).toBe(
      "; the end of its stderr:\n  | Error: Cannot find module 'nope.ts'\n  |   code: 'MODULE_NOT_FOUND'\n  | Node.js v20",
    );
  });

  test('a quoted stderr has control characters escaped', () => {
    const words = new StderrTail();
    words.push(Buffer.from('\u001b[31mred\u001b[0m \u0007 \u202ereversed\n'));
    expect(words.quoted()).toBe('; the end of its stderr:\n  | \\u001b[31mred\\u001b[0m \\u0007 \\u202ereversed');
  });
});
