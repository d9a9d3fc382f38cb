/** The folders of the gateway are layers: each imports only layers that stand before it in the list. */
import { expect, test } from 'vitest';
import { layerFaults } from '../support/layers.ts';

/** From the bottom up. A change to this list is a decision about the architecture and says its reason. */
const layers = [
  'names', // what callers see instead of an upstream's names and URIs
  'credentials', // tokens of callers, for upstreams that get one for each
  'upstreams', // conversations with servers, their queues, circuits and lists
  'bridge', // carrying calls and questions between revisions
  'policy', // rates, rules, approvals, the record; what is withheld
  'lists', // the parts of all upstreams of a view, as one table
  'nodes', // several processes that are one gateway
  'view', // answering the callers of one endpoint
  'file', // a gateway from a configuration file
];

test('every folder of src/gateway is a layer, and no layer imports one above it', () => {
  const shared = (file: string): boolean => /^src\/gateway\/(?:contract|spec)\.ts$/.test(file);
  // Running a gateway stands on top of it: listeners, metrics, reload, drain.
  const top = (file: string): boolean => /^src\/gateway\/(?:[^/]+|operations\/.+)$/.test(file) && !shared(file);
  expect(layerFaults({ root: 'src/gateway', layers, top, shared })).toEqual([]);
});
