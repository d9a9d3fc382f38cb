/** The pages about runtimes: each page's server, started as the page says, serves every revision with its transport. */
import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { connect } from '../../src/connect/index.ts';
import { eventually } from '../support/children.ts';
import { everyRevision } from '../support/raw.ts';
import { binaries } from './binaries.ts';
import type { Checks } from './checks.ts';
import { PageProject } from './page-project.ts';

const root = new URL('../../', import.meta.url).pathname;

export async function bunPage(checks: Checks): Promise<void> {
  if (binaries.bun === undefined) return console.log('skipped: Bun publishes no binary for this platform');
  await using project = await PageProject.open('docs/guide/bun.md');
  project.link({ bun: binaries.bun, bunx: binaries.bun });
  await serves(checks, project, 'bun serve.ts');
}

export async function denoPage(checks: Checks): Promise<void> {
  if (binaries.deno === undefined) return console.log('skipped: Deno publishes no binary for this platform');
  await using project = await PageProject.open('docs/guide/deno.md');
  project.link({ deno: binaries.deno });
  const imports = { mooring: `${root}dist/index.js`, zod: `${root}node_modules/zod/index.js` };
  project.write('deno.json', JSON.stringify({ imports, nodeModulesDir: 'manual', lock: false }));
  await serves(checks, project, 'deno serve', { DENO_DIR: `${root}.cache/deno`, DENO_NO_UPDATE_CHECK: '1' });
}

export async function workersPage(checks: Checks): Promise<void> {
  if (binaries.workerd === undefined) return console.log('skipped: workerd has no binary for this platform');
  await using project = await PageProject.open('docs/guide/cloudflare-workers.md');
  project.link({ workerd: binaries.workerd });
  await bundleWorker(project);
  const printed = await serves(checks, project, 'workerd serve', {}, ['workerd serve config.capnp']);
  await checks.check('workerd reports no error', async () => assert.equal(printed(), ''));
}

/** Two Workers that share only a key serve the same session; without sessions, each serves every request. */
export async function plainWorkers(checks: Checks): Promise<void> {
  if (binaries.workerd === undefined) return console.log('skipped: workerd has no binary for this platform');
  for (const sessions of ['{ sealed: [new Uint8Array(32).fill(7)] }', "'none'"]) {
    await using one = await plainWorker(binaries.workerd, sessions);
    await using other = await plainWorker(binaries.workerd, sessions);
    for (const revision of everyRevision.slice(1)) {
      await checks.check(`${revision}: two Workers, sessions: ${sessions}`, () =>
        callsBoth([one.url, other.url], revision),
      );
    }
  }
}

async function plainWorker(workerd: string, sessions: string): Promise<PageProject> {
  const project = await PageProject.open('docs/guide/cloudflare-workers.md');
  project.link({ workerd });
  const options = `{ allowedHosts: ['localhost'], sessions: ${sessions} }`;
  project.write(
    'worker.ts',
    `import { httpHandler } from 'mooring';
import { shop } from './shop.ts';
export default { fetch: httpHandler(shop, ${options}) };
`,
  );
  await bundleWorker(project);
  project.start('workerd serve config.capnp');
  let isUp = false;
  await eventually('the Worker to serve', () => {
    void fetch(project.url).then(
      () => (isUp = true),
      () => undefined,
    );
    return isUp;
  });
  return project;
}

async function callsBoth(urls: readonly string[], revision: string): Promise<void> {
  let turn = 0;
  const balanced: typeof fetch = (_url, init) => fetch(urls[turn++ % 2] ?? '', init);
  await using client = await connect(urls[0] ?? '', { revisions: [revision], fetch: balanced });
  for (let times = 0; times < 4; times++) {
    const [content] = (await client.read('orders://A-1041')).contents;
    assert.match(content !== undefined && 'text' in content ? content.text : '', /A-1041/);
  }
  assert.ok(turn > 4);
}

/** Does what `wrangler dev` does: bundles one module, and translates wrangler.json for workerd. */
async function bundleWorker(project: PageProject): Promise<void> {
  const input = join(project.folder, 'worker.ts');
  const resolve = { conditionNames: ['workerd', 'worker', 'browser', 'import'] };
  const bundle = await rolldown({ input, platform: 'neutral', resolve, logLevel: 'silent' });
  await bundle.write({ file: join(project.folder, 'worker.js'), format: 'esm', codeSplitting: false });
  const { default: wrangler } = await import(join(project.folder, 'wrangler.json'), { with: { type: 'json' } });
  const [{ name, class_name: className }] = wrangler.durable_objects.bindings;
  const isPlain = !readFileSync(input, 'utf8').includes(`class ${className}`);
  const objects = `  durableObjectNamespaces = [(className = "${className}", uniqueKey = "${className}")],
  durableObjectStorage = (inMemory = void),
  bindings = [(name = "${name}", durableObjectNamespace = "${className}")],
`;
  project.write(
    'config.capnp',
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main)],
  sockets = [(name = "http", address = "localhost:${project.port}", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "${wrangler.compatibility_date}",
${isPlain ? '' : objects});
`,
  );
}

/** Runs the command that starts with `server` while the others run, and clients of every revision call. */
export async function serves(
  checks: Checks,
  project: PageProject,
  server: string,
  env: Readonly<Record<string, string>> = {},
  commands: readonly string[] = project.commands,
): Promise<() => string> {
  const line = commands.find((command) => command.startsWith(server));
  if (line === undefined) throw new Error(`the page has no command that starts with ${server}: ${commands.join('; ')}`);
  const { child, printed } = project.start(line, env);
  let isUp = false;
  await eventually(`${line} to serve`, () => {
    void fetch(project.url).then(
      () => (isUp = true),
      () => undefined,
    );
    return isUp || child.exitCode !== null;
  });
  if (!isUp) throw new Error(`${line} ended:\n${printed()}`);
  const others = project.commands.filter((command) => / mooring /.test(command));
  for (const command of others) {
    await checks.check(command, async () => assert.match(await project.run(command, env), /refund\(order\)/));
  }
  // The oldest revision has another transport, which needs a second path.
  for (const revision of everyRevision.slice(1)) {
    await checks.check(`${revision}: ${line}`, () => answersIn(project.url, revision));
  }
  return printed;
}

/** Reads a resource, answers a question where the revision has them, and keeps a subscription open meanwhile. */
async function answersIn(url: string, revision: string): Promise<void> {
  let asked = 0;
  await using client = await connect(url, {
    revisions: [revision],
    elicit: () => ({ action: asked++ === 0 ? 'accept' : 'decline', content: { confirm: true } }),
  });
  await using watch = client.watch({ tools: true });
  const ended = watch.nextChange();
  await watch.granted;
  const [content] = (await client.read('orders://A-1041')).contents;
  assert.deepEqual(JSON.parse(content !== undefined && 'text' in content ? content.text : ''), {
    id: 'A-1041',
    price: 12.5,
  });
  if (revision >= '2025-06-18') {
    const { data } = await client.call('refund', { order: 'A-1041' });
    assert.deepEqual([data, asked], [{ order: 'A-1041', amount: 12.5 }, 1]);
  }
  const after = await Promise.race([ended, Promise.resolve('open')]);
  assert.equal(after, 'open');
}
