/** Warnings about labels in rules that no server has. */
import { expect, test } from 'vitest';
import { createServer } from '../../server/server.ts';
import type { Rule } from '../act/rule.ts';
import { createHost } from '../create-host.ts';
import { rules } from './rules.ts';

const notes = createServer({ name: 'notes', version: '1', parts: [] });

async function warningsFor(...policy: readonly Rule[]): Promise<readonly string[]> {
  const warnings: string[] = [];
  await using host = createHost({
    servers: { notes, weather: notes },
    policy,
    onWarning: (warning) => void warnings.push(warning),
  });
  host.servers.add('shop', notes);
  return warnings;
}

test.each<[string, Rule, string, string]>([
  ['deny', rules.deny({ server: 'noets', name: 'delete' }), 'noets', 'did you mean notes?'],
  ['ask', rules.ask({ server: ['notes', 'files'] }), 'files', 'available: notes, weather'],
  ['allow', rules.allow({ kind: 'tool', under: 'weahter' }), 'weahter', 'did you mean weather?'],
  ['budget', rules.budget({ server: 'noets' }, { calls: 1, per: 'hour' }), 'noets', 'did you mean notes?'],
  ['noFlow from', rules.noFlow('noets', 'weather'), 'noets', 'did you mean notes?'],
  ['noFlow to', rules.noFlow('notes', ['weahter', '*']), 'weahter', 'did you mean weather?'],
  ['trustAnnotationsOf', rules.trustAnnotationsOf('notes', 'weahter'), 'weahter', 'did you mean weather?'],
])('a host warns once of a label in a rule (%s) that no server has', async (_what, rule, label, hint) => {
  const warning = `The rule "${rule.text}" names "${label}", which is not a configured server; ${hint}`;
  expect(await warningsFor(rule)).toEqual([warning]);
});

test('a host does not warn of labels of its servers, of patterns, and of rules without a server', async () => {
  const policy = [
    rules.deny({ server: ['notes', 'file*'] }),
    rules.trustAnnotationsOf('weather'),
    rules.noFlow('*', 'notes'),
    rules.allow({ effects: 'read' }),
  ];
  expect(await warningsFor(...policy)).toEqual([]);
});
