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

/** A terminal whose user types a line at each prompt. */
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

const fill = (...lines: readonly string[]): Promise<Filled> => fillIn(question, lines);

interface Filled {
  readonly answer: ElicitResult;
  readonly shown: string;
}

async function fillIn(form: FormQuestion, lines: readonly string[]): Promise<Filled> {
  const terminal = new Terminal();
  const asked = terminal.questions.form(form, new AbortController().signal);
  await terminal.type(...lines);
  return { answer: await asked, shown: stripVTControlCharacters(terminal.shown) };
}

const entered = ['Elm 5', 'y', '3', '', 'bow, card'];
const content = { street: 'Elm 5', express: true, count: 3, size: 'm', extras: ['bow', 'card'] };

describe('a form on a terminal', () => {
  test('a form says who asks, is filled in field by field, and is shown for review before it is sent', async () => {
    verifies('ELIC-10', 'ELIC-11', 'ELIC-13', 'ELIC-51');
    const { answer, shown } = await fill(...entered, 'y');
    expect(answer).toEqual({ action: 'accept', content });
    expect(shown).toContain('The server "shop" asks: Where to?');
    expect(shown).toContain('! Careful.');
    expect(shown).toContain('Street (street): and number — text, required');
    expect(shown).toMatch(/Send this to "shop"\?\s+street: Elm 5/);
  });

  test('a form can be changed on review', async () => {
    verifies('ELIC-13');
    const { answer } = await fill(...entered, 'c', 'Oak 1', '', '', 's', '', '', 'y');
    expect(answer).toEqual({ action: 'accept', content: { ...content, street: 'Oak 1', size: 's' } });
  });

  test.each([
    [[':decline'], 'decline'],
    [['Elm', ':cancel'], 'cancel'],
    [[...entered, 'd'], 'decline'],
    [[...entered, 'huh', 'x'], 'cancel'],
  ])('a form can be declined or dismissed by %j', async (lines, action) => {
    verifies('ELIC-12', 'ELIC-49');
    expect((await fill(...lines)).answer).toEqual({ action });
  });

  test('a form has no control characters and no links', async () => {
    verifies('ELIC-61');
    const { shown } = await fill(':cancel');
    expect(shown).toContain('https[:]//evil.test/now');
    expect(shown).not.toContain('https://');
    expect(shown).toContain('\\u001b[2J');
  });

  test('a form is cancelled without a terminal, or if its signal aborts', async () => {
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

describe('a field on a terminal', () => {
  test('a field is checked as it is entered, and an invalid value does not become its default', async () => {
    const { answer, shown } = await fill('Elm 5', 'maybe', 'y', 'many', '2.5', '3', 'xl', '', 'bell', 'bow', 'y');
    expect(answer).toEqual({ action: 'accept', content: { ...content, extras: ['bow'] } });
    for (const reason of [
      '"express" must be true or false.',
      '"count" must be a number.',
      '"count" must be a whole number.',
    ])
      expect(shown).toContain(reason);
    expect(shown).toContain('"size" must be one of ["s","m"].');
    expect(shown).toContain('"extras" must have choices out of ["bow","card"].');
    expect(shown).not.toMatch(/\[(?:maybe|many|2\.5|xl|bell)\]/);
  });

  test.each([
    [{ type: 'integer', minimum: 1, maximum: 30 }, 'a whole number from 1 to 30'],
    [{ type: 'number', minimum: 0 }, 'a number, at least 0'],
    [{ type: 'number', maximum: 9 }, 'a number, at most 9'],
    [{ type: 'string', format: 'date' }, 'a date (year-month-day)'],
    [{ type: 'string', format: 'ipv4' }, 'text'],
  ])('the field %j says what can be entered', async (field, text) => {
    const requestedSchema = { type: 'object', properties: { day: field, more: { type: 'string' } } } as const;
    const { shown } = await fillIn({ ...question, requestedSchema, values: {} }, [':cancel']);
    expect(shown).toContain(`day — ${text}\n`);
  });

  test('a required field is asked for again while it is empty', async () => {
    const { answer, shown } = await fill('', 'Elm 5', '', '', '', '', 'y');
    expect(answer).toEqual({ action: 'accept', content: { street: 'Elm 5', size: 'm' } });
    expect(shown).toContain('"street" is required.');
  });

  test('? explains who asks, for which tool, and what happens to the answer', async () => {
    const during = { kind: 'tool', name: 'deliver' } as const;
    const { shown } = await fillIn({ ...question, during }, ['?', ':cancel']);
    expect(shown).toContain('"shop" asks you for "street", "express", "count", "size", "extras"');
    expect(shown).toContain('It needs the answer for the tool "deliver", which is running.');
    expect(shown).toContain('Your answer is sent to "shop".');
  });

  test('a backslash turns a command into text', async () => {
    const { answer } = await fill('\\?', '', '', '', '', 'y');
    expect(answer.content).toMatchObject({ street: '?' });
  });
});

describe('a yes or no on a terminal', () => {
  const message = 'Delete "milk"?';
  const asking = (field: object, values: FormQuestion['values']): FormQuestion => ({
    ...question,
    message,
    requestedSchema: { type: 'object', properties: { confirm: { type: 'boolean', ...field } }, required: ['confirm'] },
    values,
    warnings: [],
  });
  const confirm = asking({ title: 'Confirm', description: message }, { confirm: false });

  test.each([
    ['y', { action: 'accept', content: { confirm: true } }],
    ['yes', { action: 'accept', content: { confirm: true } }],
    ['n', { action: 'accept', content: { confirm: false } }],
    ['', { action: 'accept', content: { confirm: false } }],
    [':decline', { action: 'decline' }],
    [':cancel', { action: 'cancel' }],
  ])('a yes/no question is one prompt, and %j answers it', async (line, answer) => {
    const filled = await fillIn(confirm, [line]);
    expect(filled.answer).toEqual(answer);
    expect(filled.shown).toContain('The server "shop" asks:\n');
    expect(filled.shown).toContain('Delete "milk"? [y/N] ');
    expect(filled.shown).not.toContain('Send this');
  });

  test('a yes/no question is asked again after anything else, and explained by ?', async () => {
    const { answer, shown } = await fillIn(confirm, ['maybe', '?', 'y']);
    expect(answer).toEqual({ action: 'accept', content: { confirm: true } });
    expect(shown).toContain('Type y or n.');
    expect(shown).toContain('Your answer is sent to "shop".');
    expect(shown.match(/\[y\/N\] /g)).toHaveLength(3);
  });

  test('Enter never answers yes, even if that is the default of the server', async () => {
    const { answer, shown } = await fillIn(asking({ description: message, default: true }, { confirm: true }), [
      '',
      'n',
    ]);
    expect(answer).toEqual({ action: 'accept', content: { confirm: false } });
    expect(shown).toContain('[y/n] ');
  });

  test('a yes/no question also shows the field if its text differs', async () => {
    const { shown } = await fillIn(asking({ title: 'Overwrite' }, {}), ['n']);
    expect(shown).toContain('Delete "milk"? [y/n] ');
    const both = await fillIn(asking({ description: 'Overwrite it' }, {}), ['n']);
    expect(both.shown).toContain('The server "shop" asks: Delete "milk"?');
    expect(both.shown).toContain('confirm: Overwrite it — yes or no [y/n] ');
  });
});

test.each([
  ['', 'done'],
  ['a', 'again'],
  ['x', 'cancel'],
])('a visit shows the whole URL, and %j means %s', async (line, next) => {
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
