import { expect, test } from 'vitest';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { secretFieldWarnings } from './secret-fields.ts';

const warned = (name: string, field: JsonObject = {}): boolean =>
  secretFieldWarnings({ type: 'object', properties: { [name]: { type: 'string', ...field } } }).length > 0;

test.each<[string, JsonObject?]>([
  ['password'],
  ['user_password'],
  ['passPhrase'],
  ['apiKey'],
  ['API_KEY'],
  ['accessToken'],
  ['token'],
  ['client-secret'],
  ['pin'],
  ['cvv'],
  ['cardNumber'],
  ['credit_card'],
  ['value', { title: 'Your password' }],
  ['value', { description: 'The one-time code that we sent you' }],
  ['value', { description: 'Recovery phrase of your wallet' }],
  ['value', { format: 'password' }],
  ['value', { title: 'Ｐａｓｓｗｏｒｄ' }],
  ['value', { title: 'Your pаsswоrd' }],
  ['value', { title: 'pass\u200bword' }],
  ['p\u00adassword'],
  ['value', { title: 'Pässwörd' }],
  ['value', { title: 'P4ssw0rd' }],
  ['value', { title: 'Pa55word' }],
  ['value', { title: 'Pa$$word' }],
  ['value', { title: 'Your p1n' }],
  ['value', { description: 'Your АРІ key' }],
])('%s %j asks for a secret', (name, field) => {
  expect(warned(name, field)).toBe(true);
});

test.each<[string, JsonObject?]>([
  ['name'],
  ['email', { format: 'email' }],
  ['shipping'],
  ['keyboard'],
  ['spinner'],
  ['passenger'],
  ['card', { description: 'The text on the greeting card' }],
  ['tokenizer'],
])('%s %j does not ask for a secret', (name, field) => {
  expect(warned(name, field)).toBe(false);
});
