/** Validates the `_meta` that callers pass: their own keys, and W3C trace context. */
import { badDefinition } from '../errors.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import { isReserved, metaKeyFault } from '../model/meta.ts';

/** One list member each, as defined by W3C Trace Context (level 2) and W3C Baggage. */
const stateMember = /^[a-z\d][a-z\d_*/-]{0,255}(?:@[a-z\d][a-z\d_*/-]{0,13})?=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/;
const property = "[\\w!#$%&'*+.^`|~-]+(?:[ \\t]*=[ \\t]*[!#-+\\--:<-\\[\\]-~]*)?";
const baggageMember = new RegExp(`^(?=[^;]*=)${property}(?:[ \\t]*;[ \\t]*${property})*$`);
const MAX_STATES = 32;

/** The reserved keys that callers can set, for tracing, each with a check of its W3C syntax. */
export const traceKeys: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['traceparent', (text) => /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/.test(text)],
  [
    'tracestate',
    (text) => {
      const members = membersOf(text);
      return members.length <= MAX_STATES && members.every((one) => one === '' || stateMember.test(one));
    },
  ],
  ['baggage', (text) => membersOf(text).every((one) => baggageMember.test(one))],
]);

const membersOf = (list: string): string[] => list.split(',').map((member) => member.trim());

export function checkMeta(meta: JsonObject): void {
  for (const [key, value] of Object.entries(meta)) {
    const why = traceKeys.has(key) ? traceFault(key, value) : (metaKeyFault(key) ?? ownerFault(key));
    if (why !== undefined) throw badDefinition(`The _meta key "${key}"`, why);
  }
}

const ownerFault = (key: string): string | undefined => (isReserved(key) ? 'it belongs to the protocol' : undefined);

const traceFault = (key: string, value: unknown): string | undefined =>
  typeof value === 'string' && traceKeys.get(key)?.(value) === true
    ? undefined
    : 'its value is not valid W3C Trace Context';
