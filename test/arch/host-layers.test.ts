/** The folders of the host are layers: each imports only layers before it in the list. */
import { expect, test } from 'vitest';
import { architectureSection, picturedNames } from '../support/architecture-page.ts';
import { layerFaults } from '../support/layers.ts';

/** From the bottom up. A change to this list is an architecture decision, and states its reason. */
const layers = [
  'text', // reading and showing untrusted text
  'act', // what is about to happen, and the type of rules
  'audit', // the audit log
  'policy', // which rule decides
  'consent', // asking the user, remembering approvals
  'lease', // only recorded acts reach a server
  'gate', // the permission check: facts, rules, consent, record, run
  'config', // servers in code and in configuration files
  'servers', // connections to servers, opened by acts
  'lock', // approved definitions
  'models', // language models
  'catalogue', // tools, resources and prompts of all servers
  'questions', // questions of servers to the user and to models
  'session-acts', // the acts of one session
  'apps', // views of servers
  'tasks', // long calls, and tickets to resume them
  'agent', // a model that calls tools
  'skills', // skills of servers
  'icons', // checking images
];

test('every folder of src/host is a layer, and no layer imports one above it', () => {
  const top = (file: string): boolean => /^src\/host\/[^/]+$/.test(file);
  expect(layerFaults({ root: 'src/host', layers, top })).toEqual([]);
});

test('the architecture page lists the layers of the host, in their order', () => {
  const named = [...architectureSection('Layers of the host').matchAll(/^\| `([^`]+)` \|/gm)].map(([, layer]) => layer);
  expect(named).toEqual(layers);
});

test('the picture of the architecture has the layers of the host, the top one first, and icons alone at the end', () => {
  const named = picturedNames('layer').map(({ name }) => name);
  expect(named).toEqual([...layers.filter((layer) => layer !== 'icons').toReversed(), 'icons']);
});
