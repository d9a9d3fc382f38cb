/** The files in deploy/ parse, agree with each other, and contain a valid gateway configuration. */
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readGatewayFile } from '../../src/gateway/file/read-gateway-file.ts';
import { textOf } from '../support/source.ts';

const documents = parseAllDocuments(textOf('deploy/kubernetes.yaml')).map((document) => {
  expect(document.errors).toEqual([]);
  return document.toJS();
});
const kindOf = (kind: string) => documents.find((one) => one.kind === kind);
const pod = kindOf('Deployment').spec.template.spec;
const [container] = pod.containers;

async function findingsIn(text: string): Promise<readonly unknown[]> {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-deploy-'));
  try {
    const file = join(folder, 'gateway.yaml');
    await writeFile(file, text);
    const key = 'A'.repeat(43);
    const env = { STATE_KEYS: key, PEER_KEYS: key, OPERATIONS_TOKEN: 'token', NODE_ADDRESS: '10.0.0.1' };
    const run = (): Promise<string> => Promise.reject(new Error('there is no command'));
    return (await readGatewayFile(file, { env, home: folder, run })).findings;
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('the configurations in deploy/ are accepted without errors or warnings', async () => {
  expect(await findingsIn(textOf('deploy/gateway.yaml'))).toEqual([]);
  expect(await findingsIn(kindOf('ConfigMap').data['gateway.yaml'])).toEqual([]);
});

test('every Kubernetes document has an API version, a kind and a name', () => {
  expect(documents.map(({ kind }) => kind)).toEqual([
    ...['ConfigMap', 'Deployment', 'Service', 'PodDisruptionBudget', 'NetworkPolicy', 'HorizontalPodAutoscaler'],
  ]);
  for (const { apiVersion, metadata } of documents)
    expect([typeof apiVersion, metadata.name]).toEqual(['string', 'gateway']);
});

test('the deployment stops nodes gracefully, runs without privileges, and probes the operations listener', () => {
  const { replicas, strategy, selector, template } = kindOf('Deployment').spec;
  expect({ replicas, strategy }).toEqual({
    replicas: 3,
    strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
  });
  expect(template.metadata.labels).toEqual(selector.matchLabels);
  // Longer than settleMs plus drainMs.
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(30);
  expect(pod.securityContext.runAsNonRoot).toBe(true);
  expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } });
  expect(container.readinessProbe.httpGet).toEqual({ path: '/ready', port: 'operations' });
  const mounted = container.volumeMounts.map(({ name }: { name: string }) => name);
  expect(pod.volumes.map(({ name }: { name: string }) => name)).toEqual(mounted);
  expect(kindOf('Service').spec.sessionAffinity).toBe('None');
});

test('Compose runs three nodes that differ in their address alone, and Redis without eviction', () => {
  const compose = parse(textOf('deploy/compose.yaml'), { merge: true });
  const nodes = ['node-1', 'node-2', 'node-3'].map((name) => compose.services[name]);
  expect(nodes.map(({ environment }) => environment.NODE_ADDRESS)).toEqual(['node-1', 'node-2', 'node-3']);
  for (const { environment: _, ...node } of nodes) expect(node).toMatchObject({ build: '.', stop_grace_period: '40s' });
  expect(Object.keys(compose.secrets)).toEqual(nodes[0].secrets);
  expect(compose.services.redis.command).toContain('noeviction');
  const balancer = textOf('deploy/haproxy.cfg');
  for (const name of ['node-1', 'node-2', 'node-3']) expect(balancer).toContain(`server ${name} ${name}:8443`);
  expect(balancer).not.toMatch(/^\s*(?:cookie|stick)/m);
});

test('the image runs the gateway from files that exist', () => {
  const image = textOf('deploy/Dockerfile');
  expect(image).toMatch(/^FROM node:\d+-slim$/m);
  expect(image).toMatch(/^USER node$/m);
  const [, entry = '[]'] = /^ENTRYPOINT (.*)$/m.exec(image) ?? [];
  expect(JSON.parse(entry).slice(0, 3)).toEqual(['node', 'node_modules/mooring/dist/cli/main.js', 'gateway']);
  expect(existsSync('src/cli/main.ts')).toBe(true);
  expect(readdirSync('deploy').toSorted()).toEqual([
    ...['Dockerfile', 'compose.yaml', 'gateway.yaml', 'haproxy.cfg', 'kubernetes.yaml', 'package.json'],
  ]);
});
