/** The default limits of an HTTP server. */
import { expect, test } from 'vitest';
import { httpSettings } from './http-settings.ts';

const MINUTE = 60_000;

const limits = {
  maxBodyBytes: 4_194_304,
  maxQueueBytes: 1_048_576,
  maxSessions: 10_000,
  maxSessionsPerCaller: 100,
  maxListenersPerCaller: 16,
  sessionIdleMs: 30 * MINUTE,
  sessionLifeMs: 1_440 * MINUTE,
  maxCallsPerSession: 64,
  maxCalls: 1_024,
  keepAliveMs: 15_000,
  retryMs: 1_000,
} as const;

test('every limit has the default that its comment names, also if it is undefined', () => {
  expect(httpSettings({})).toMatchObject(limits);
  const undefinedOnes = Object.fromEntries(Object.keys(limits).map((name) => [name, undefined]));
  expect(httpSettings(undefinedOnes)).toMatchObject(limits);
});

test.each(Object.keys(limits))('the limit %s can be configured', (name) => {
  expect(httpSettings({ [name]: 7 })).toMatchObject({ ...limits, [name]: 7 });
});
