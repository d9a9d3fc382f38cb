/** Methods that came and went with the stateless protocol. */

import { ACKNOWLEDGED, DISCOVER, ELICITATION_COMPLETE, INITIALIZED, LISTEN, ROOTS_CHANGED } from '../../model/names.ts';
import { revision as previous } from '../2025-11-25/revision.ts';
import type { Method, MethodTable } from '../contract.ts';
import { extend, without } from '../methods.ts';
import { listenParams, open } from '../params.ts';

const kept = without(previous.methods, [
  'initialize',
  'ping',
  'shutdown',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  INITIALIZED,
  ROOTS_CHANGED,
  ELICITATION_COMPLETE,
]);

/** Lists and reads say how long they may be kept. */
const cached = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'resources/read'];
const cacheable = Object.fromEntries(
  cached.flatMap((name): [string, Method][] => {
    const method = kept.requests.get(name);
    return method === undefined ? [] : [[name, { ...method, cacheable: true }]];
  }),
);

export const methods: MethodTable = extend(kept, {
  requests: {
    ...cacheable,
    [DISCOVER]: { params: open, repeatable: true, cacheable: true },
    [LISTEN]: { params: listenParams, repeatable: true },
  },
  notifications: [ACKNOWLEDGED],
});
