/** The folders of the host are layers: each imports only layers that stand before it in the list. */
import { expect, test } from 'vitest';
import { architectureSection, picturedNames } from '../support/architecture-page.ts';
import { layerFaults } from '../support/layers.ts';

/** From the bottom up. A change to this list is a decision about the architecture and says its reason. */
const layers = [
  'text', // reading and showing text that is not ours
  'act', // what is about to happen, and what a rule is
  'audit', // the record of what was decided
  'policy', // which rule decides
  'consent', // asking the user, and remembering the answer
  'lease', // nothing goes to a server without a record that allows it
  'gate', // the one way of every act: facts, rules, consent, record, run
  'config', // what a server is: in code, in configuration files
  'servers', // connections to servers, opened by acts; servers that come and go
  'lock', // the definitions that were approved
  'models', // language models
  'catalogue', // tools, resources and prompts of all servers
  'questions', // what servers ask of the user and of models
  'session-acts', // the acts of one session: in its user's name, and cancelled with it
  'apps', // views of servers, and what they ask for
  'tasks', // calls that work on by themselves, and tickets to come back for them
  'agent', // a model that calls tools
  'skills', // skills of servers: behind the gate, in the lock, for models
  'icons', // checking images; stands alone
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
