import { expect, test } from 'vitest';
import type { FormQuestion } from '../../host/index.ts';
import type { CommandContext } from '../command.ts';
import { QuestionAnswerer } from './question-answerer.ts';

test('the options that answer a form are quoted for the shell, because a server named the fields', async () => {
  const notes: string[] = [];
  const print = { note: (text: string) => notes.push(text), style: (_format: string, text: string) => text };
  const by = { shell: { stdin: {}, stdout: {}, stderr: {} }, print } as unknown as CommandContext; // the members that are used
  const question = {
    server: 'shop',
    message: 'Which?',
    requestedSchema: { type: 'object', properties: { '$(touch a)': { type: 'string' } } },
    values: {},
  } as unknown as FormQuestion;
  const { form } = new QuestionAnswerer(by, undefined).host.questions;
  expect(await form(question, new AbortController().signal)).toEqual({ action: 'decline' });
  expect(notes.join()).toContain(`pass --answer '$(touch a)'=…, or`);
});
