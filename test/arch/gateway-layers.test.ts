/** The folders of the gateway are layers: each imports only layers before it in the list. */
import { expect, test } from 'vitest';
import { layerFaults } from '../support/layers.ts';

/** From the bottom up. A change to this list is an architecture decision, and states its reason. */
const layers = [
  'names', // exposed names and URIs
  'credentials', // tokens per caller, for upstreams that need them
  'upstreams', // conversations with servers, their queues, circuits and lists
  'bridge', // forwarding calls and questions between revisions
  'policy', // rate limits, rules, approvals, audit, hidden parts
  'lists', // the parts of all upstreams of a view
  'nodes', // several processes as one gateway
  'view', // answering the callers of one endpoint
  'file', // gateways from configuration files
];

test('every folder of src/gateway is a layer, and no layer imports one above it', () => {
  const shared = (file: string): boolean => /^src\/gateway\/(?:contract|spec)\.ts$/.test(file);
  // Running a gateway: listeners, metrics, reload, drain.
  const top = (file: string): boolean => /^src\/gateway\/(?:[^/]+|operations\/.+)$/.test(file) && !shared(file);
  expect(layerFaults({ root: 'src/gateway', layers, top, shared })).toEqual([]);
});
