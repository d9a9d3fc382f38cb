import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../../test/support/children.ts';
import { verifies } from '../../../test/support/verifies.ts';
import type { ElicitResult } from '../../model/elicitation.ts';
import type { FormQuestion, QuestionHandler } from './question-handler.ts';
import { terminalQuestions } from './terminal-questions.ts';

const question: FormQuestion = {
  server: 'shop',
  message: 'Where to? See https://evil.test/now \u001b[2J',
  requestedSchema: {
    type: 'object',
    properties: {
      street: { type: 'string', title: 'Street', description: 'and number' },
      express: { type: 'boolean' },
      count: { type: 'integer' },
      size: { type: 'string', enum: ['s', 'm'] },
      extras: { type: 'array', items: { enum: ['bow', 'card'] } },
    },
    required: ['street'],
  },
  values: { size: 'm' },
  warnings: ['Careful.'],
  fault: undefined,
};

/** A terminal with a user who types a line whenever it waits for one. */
class Terminal {
  readonly input: PassThrough & { isTTY?: boolean } = new PassThrough();
  readonly output: PassThrough & { isTTY?: boolean } = new PassThrough();
  readonly questions: QuestionHandler;
  shown = '';

  constructor(isTTY = true) {
    Object.assign(this.input, { isTTY });
    Object.assign(this.output, { isTTY });
    this.output.on('data', (chunk) => {
      this.shown += String(chunk);
    });
    this.questions = terminalQuestions({ input: this.input, output: this.output });
  }

  async type(...lines: readonly string[]): Promise<void> {
    for (const line of lines) {
      const before = this.shown.length;
      await eventually('it waits for a line', () => / $/.test(stripVTControlCharacters(this.shown)));
      this.shown += '\n';
      this.input.write(`${line}\r`);
      await eventually('it goes on', () => this.shown.length > before + 1);
    }
  }
}

async function fill(...lines: readonly string[]): Promise<{ answer: ElicitResult; shown: string }> {
  const terminal = new Terminal();
  const asked = terminal.questions.form(question, new AbortController().signal);
  await terminal.type(...lines);
  return { answer: await asked, shown: terminal.shown };
}

const entered = ['Elm 5', 'y', '3', '', 'bow, card'];
const content = { street: 'Elm 5', express: true, count: 3, size: 'm', extras: ['bow', 'card'] };

describe('a form on a terminal', () => {
  test('says who asks, is filled in field by field, and shows everything before it is sent', async () => {
    verifies('ELIC-10', 'ELIC-11', 'ELIC-13', 'ELIC-51');
    const { answer, shown } = await fill(...entered, 's');
    expect(answer).toEqual({ action: 'accept', content });
    expect(shown).toContain('The server "shop" asks you: Where to?');
    expect(shown).toContain('! Careful.');
    expect(shown).toContain('Street (street): and number — text, required');
    expect(shown).toMatch(/would be sent to "shop":\s+street: Elm 5/);
  });

  test('can be changed on review', async () => {
    verifies('ELIC-13');
    const { answer } = await fill(...entered, 'c', 'Oak 1', '', '', 's', '', 's');
    expect(answer).toEqual({ action: 'accept', content: { ...content, street: 'Oak 1', size: 's' } });
  });

  test.each([
    [[':decline'], 'decline'],
    [['Elm', ':cancel'], 'cancel'],
    [[...entered, 'd'], 'decline'],
    [[...entered, 'huh', 'x'], 'cancel'],
  ])('can be left by %j', async (lines, action) => {
    verifies('ELIC-12', 'ELIC-49');
    expect((await fill(...lines)).answer).toEqual({ action });
  });

  test('drives no terminal and shows no address as a link', async () => {
    verifies('ELIC-61');
    const { shown } = await fill(':cancel');
    expect(shown).toContain('https[:]//evil.test/now');
    expect(shown).not.toContain('https://');
    expect(shown).toContain('\\u001b[2J');
  });

  test('a form is cancelled where this is not a terminal, or when the answer is no longer wanted', async () => {
    const pipe = new Terminal(false);
    expect(await pipe.questions.form(question, new AbortController().signal)).toEqual({ action: 'cancel' });
    const controller = new AbortController();
    const terminal = new Terminal();
    const asked = terminal.questions.form(question, controller.signal);
    await eventually('it is shown', () => terminal.shown.includes('Street'));
    controller.abort();
    expect(await asked).toEqual({ action: 'cancel' });
  });
});

test.each([
  ['', 'done'],
  ['a', 'again'],
  ['x', 'cancel'],
])('a visit is shown as a whole address, and %j means %s', async (line, next) => {
  verifies('ELIC-32');
  const terminal = new Terminal();
  const { signal } = new AbortController();
  await terminal.questions.open?.('https://pay.test/start?x=1', signal);
  expect(terminal.shown).toContain('  https://pay.test/start?x=1\n');
  const visit = {
    server: 'shop',
    url: 'https://pay.test/',
    host: 'pay.test',
    completed: new Promise<void>(() => undefined),
  };
  const visiting = terminal.questions.visiting?.(visit, signal);
  await terminal.type(line);
  expect(await visiting).toBe(next);
});
