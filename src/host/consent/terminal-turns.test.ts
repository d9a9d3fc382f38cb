import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import { eventually } from '../../../test/support/children.ts';
import { systemClock } from '../../peer/clock.ts';
import { queueOnTerminal } from '../../terminal/terminal-prompt.ts';
import { bindingOf } from '../act/binding.ts';
import { terminalQuestions } from '../questions/terminal-questions.ts';
import { terminalConsent } from './terminal-consent.ts';

test('consent and forms on one terminal wait for each other', async () => {
  const [input, output] = [0, 1].map(() => Object.assign(new PassThrough(), { isTTY: true })) as [
    PassThrough & { isTTY: true },
    PassThrough & { isTTY: true },
  ];
  let shown = '';
  output.on('data', (chunk) => {
    shown += stripVTControlCharacters(String(chunk));
  });
  let now = 0;
  const consent = terminalConsent({ input, output, clock: { ...systemClock, now: () => (now += 1_000) } });
  const questions = terminalQuestions({ input, output });
  const { signal } = new AbortController();
  const facts = act({});
  const agreed = consent.ask(
    {
      ...{ id: '1', act: facts, binding: bindingOf(facts), rule: 'none', why: '' },
      ...{ warnings: [], editable: false, canRemember: true },
    },
    signal,
  );
  const filled = questions.form(
    {
      server: 'shop',
      message: 'Where to?',
      requestedSchema: { type: 'object', properties: { street: { type: 'string' } } },
      values: {},
      warnings: [],
      fault: undefined,
    },
    signal,
  );
  await eventually('the first question', () => shown.includes('explain: '));
  await new Promise((resolve) => setImmediate(resolve));
  expect(shown).not.toContain('Where to?');
  input.write('y\r');
  expect(await agreed).toMatchObject({ allow: true });
  await eventually('the field', () => shown.includes('  > '));
  input.write('Quay 1\r');
  await eventually('the review', () => shown.includes('[x] dismiss: '));
  input.write('y\r');
  expect(await filled).toEqual({ action: 'accept', content: { street: 'Quay 1' } });
});

test('a question that fails does not block the next one', async () => {
  const input = new PassThrough();
  await expect(queueOnTerminal(input, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await queueOnTerminal(input, () => Promise.resolve(1))).toBe(1);
});
