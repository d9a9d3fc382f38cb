import { expect, test } from 'vitest';
import {
  CLIENT_CAPABILITIES,
  CLIENT_INFO,
  LOG_LEVEL,
  PROTOCOL_VERSION,
  SERVER_INFO,
  SUBSCRIPTION_ID,
} from '../../model/names.ts';
import { dropHopMeta, withoutHopMeta } from './hop-meta.ts';

test.each([
  'progressToken',
  PROTOCOL_VERSION,
  CLIENT_INFO,
  CLIENT_CAPABILITIES,
  LOG_LEVEL,
  SERVER_INFO,
  SUBSCRIPTION_ID,
])('the key %s describes one connection, so a result that is passed on lacks it', (key) => {
  const result = { text: 'hi', meta: { [key]: 'x', 'com.example/own': 1 } };
  expect(withoutHopMeta(result)).toEqual({ text: 'hi', meta: { 'com.example/own': 1 } });
});

test('metadata of the server itself is passed on unchanged', () => {
  const meta = { 'com.example/own': 1 };
  expect(dropHopMeta(meta)).toBe(meta);
});
