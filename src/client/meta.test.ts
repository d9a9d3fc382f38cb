import { expect, test } from 'vitest';
import { checkMeta } from './meta.ts';

const parent = `00-${'4b'.repeat(16)}-${'f0'.repeat(8)}-01`;
const faultOf = (key: string, value: unknown): string | undefined => {
  try {
    checkMeta({ [key]: value });
    return undefined;
  } catch (error) {
    return String(error);
  }
};

test.each([
  ['traceparent', parent],
  ['tracestate', 'vendor=value'],
  ['tracestate', 'a=1, b@c=2,,d/e_f*g-h=3 4'],
  ['tracestate', `${'k'.repeat(256)}=${'v'.repeat(256)}`],
  ['tracestate', Array.from({ length: 32 }, (_, n) => `k${n}=v`).join(',')],
  ['baggage', 'user=ada'],
  ['baggage', 'user = ada ; prop ; other=1,b='],
])('the trace context %s: %s is sent', (key, value) => {
  expect(faultOf(key, value)).toBeUndefined();
});

test.each([
  ['traceparent', ''],
  ['traceparent', 7],
  ['traceparent', ` ${parent}`],
  ['traceparent', `${parent}-`],
  ['traceparent', `ff${parent.slice(2)}`],
  ['traceparent', `0x${parent.slice(2)}`],
  ['traceparent', parent.replace('4b', '4B')],
  ['traceparent', parent.replace('4b', '4')],
  ['traceparent', parent.replace('4b', '4b4')],
  ['traceparent', parent.replace('f0', 'f')],
  ['traceparent', parent.replace('f0', 'f0f')],
  ['traceparent', parent.replace('f0', 'xx')],
  ['traceparent', parent.replace(/01$/, '0x')],
  ['traceparent', `00-${'0'.repeat(32)}-${'f0'.repeat(8)}-01`],
  ['traceparent', `00-${'4b'.repeat(16)}-${'0'.repeat(16)}-01`],
  ['tracestate', 'no value'],
  ['tracestate', '=value'],
  ['tracestate', 'Key=value'],
  ['tracestate', '-key=value'],
  ['tracestate', 'key='],
  ['tracestate', 'key=a=b'],
  ['tracestate', 'key=\u00e9'],
  ['tracestate', `${'k'.repeat(257)}=v`],
  ['tracestate', `k@${'s'.repeat(15)}=v`],
  ['tracestate', `k=${'v'.repeat(257)}`],
  ['tracestate', Array.from({ length: 33 }, (_, n) => `k${n}=v`).join(',')],
  ['baggage', 'user'],
  ['baggage', ''],
  ['baggage', 'a b=c'],
  ['baggage', 'a=b c'],
  ['baggage', 'a=1;b c'],
  ['baggage', undefined],
])('the trace context %s: %j is rejected', (key, value) => {
  expect(faultOf(key, value)).toContain(`The _meta key "${key}": its value is not valid W3C Trace Context`);
});

test.each([
  ['com.example/name', undefined],
  ['plain', undefined],
  ['progressToken', 'it belongs to the protocol'],
  ['io.modelcontextprotocol/logLevel', 'it belongs to the protocol'],
  ['mcp.dev/x', 'it belongs to the protocol'],
  ['a b', 'expected a key such as'],
])('the key %s is rejected with: %s', (key, fault) => {
  if (fault === undefined) expect(faultOf(key, 1)).toBeUndefined();
  else expect(faultOf(key, 1)).toContain(`The _meta key "${key}": ${fault}`);
});
