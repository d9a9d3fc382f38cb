/** Tests that an approval of a command is bound to everything that decides what it does. */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Masks } from '../../model/secrets.ts';
import type { CommandSource, UrlSource } from '../config/source.ts';
import type { ConsentQuestion } from '../consent/consent.ts';
import { fileApprovals } from '../consent/file-approvals.ts';
import { createHost } from '../create-host.ts';
import { rules } from '../policy/rules.ts';
import { processKey } from './fingerprint.ts';
import { loadsCode } from './loader-variables.ts';
import { planCommand } from './plan-command.ts';
import { planUrl } from './plan-url.ts';
import type { ServerPlan, ServerPlanOptions } from './server-plan.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mooring-fingerprint-'));
});
afterAll(() => rm(folder, { recursive: true }));

const fingerprintKey = processKey();
const never = (): never => expect.unreachable('secrets are looked up once the user has agreed');

function options(more: Partial<ServerPlanOptions> = {}, env: Record<string, string> = {}): ServerPlanOptions {
  return {
    label: 'files',
    lookups: { env, userHome: '/home/ada', cwd: folder, secrets: never, inputs: undefined },
    masks: new Masks(),
    log: { stderr: () => undefined, write: () => undefined },
    auth: undefined,
    sandbox: undefined,
    connect: {},
    fingerprintKey,
    ...more,
  };
}

async function opened(source: CommandSource, env?: Record<string, string>): Promise<ServerPlan> {
  return planCommand(source, options({}, env));
}
const definitionOf = async (...args: Parameters<typeof opened>): Promise<string | undefined> =>
  (await opened(...args)).act.definition;

describe('the fingerprint of a command', () => {
  const base: CommandSource = { command: 'node', args: ['server.js'], env: { MODE: 'read', KEY: { secret: 'key' } } };

  test('a fingerprint is stable while nothing changes', async () => {
    expect(await definitionOf(base)).toBe(await definitionOf(structuredClone(base)));
  });

  test.each<[string, CommandSource]>([
    ['the value of a variable', { ...base, env: { ...base.env, MODE: 'write' } }],
    ['the name of a variable', { ...base, env: { MODUS: 'read', KEY: { secret: 'key' } } }],
    ['the name of a secret', { ...base, env: { MODE: 'read', KEY: { secret: 'other' } } }],
    ['one more variable', { ...base, env: { ...base.env, GIT_SSH_COMMAND: 'sh -c x' } }],
    ['an argument', { ...base, args: ['other.js'] }],
    ['the command', { ...base, command: 'deno' }],
    ['the folder', { ...base, cwd: '/tmp' }],
  ])('a fingerprint changes with %s', async (_what, other) => {
    expect(await definitionOf(other)).not.toBe(await definitionOf(base));
  });

  test('a fingerprint changes with an environment variable that an argument or a value refers to', async () => {
    const inArgument: CommandSource = { command: 'node', args: [{ template: `\${env:SCRIPT}` }] };
    const inValue: CommandSource = { command: 'node', env: { A: { template: `x\${env:SCRIPT}` } } };
    for (const source of [inArgument, inValue])
      expect(await definitionOf(source, { SCRIPT: 'a.js' })).not.toBe(await definitionOf(source, { SCRIPT: 'b.js' }));
  });

  test('a fingerprint changes with every value of an envFile, and those that load code are shown', async () => {
    const envFile = join(folder, 'server.env');
    const source: CommandSource = { command: 'node', envFile };
    await writeFile(envFile, 'MODE=read\n');
    const before = await opened(source);
    await writeFile(envFile, 'MODE=write\n');
    const after = await opened(source);
    await writeFile(envFile, 'MODE=read\nNODE_OPTIONS=--require ./x.js\n');
    const loading = await opened(source);
    expect(new Set([before, after, loading].map(({ act }) => act.definition)).size).toBe(3);
    expect(loading.act.arguments['env']).toEqual(['MODE', 'NODE_OPTIONS']);
    expect(loading.warnings).toContain('NODE_OPTIONS changes which code runs: --require ./x.js');
  });

  test('a sandbox sees the values of variables that load code, and of other variables only the names', async () => {
    const envFile = join(folder, 'sandboxed.env');
    await writeFile(envFile, 'TOKEN=abcdef-4711\nNODE_PATH=/x\n');
    const source: CommandSource = { command: 'node', envFile, env: { KEY: 'secret-4711', LD_PRELOAD: './y.so' } };
    const seen: unknown[] = [];
    const sandbox: ServerPlanOptions['sandbox'] = ({ env }) => {
      seen.push(env);
      return undefined;
    };
    const { act, warnings } = await planCommand(source, options({ sandbox }));
    expect(seen).toEqual([{ TOKEN: undefined, NODE_PATH: '/x', KEY: undefined, LD_PRELOAD: './y.so' }]);
    expect(JSON.stringify([act, warnings])).not.toContain('4711');
  });

  test('every value of an envFile is masked from then on', async () => {
    const envFile = join(folder, 'masked.env');
    await writeFile(envFile, 'KEY=abcdef-4711\n');
    const masks = new Masks();
    await planCommand({ command: 'node', envFile }, options({ masks }));
    expect(masks.mask('it was abcdef-4711')).not.toContain('abcdef-4711');
  });

  test('a fingerprint depends on the key, and holds no value in plain text', async () => {
    const [mine, theirs] = [options(), options({ fingerprintKey: processKey() })];
    const [first, second] = await Promise.all([mine, theirs].map((one) => planCommand(base, one)));
    expect(first?.act.definition).not.toBe(second?.act.definition);
    expect(JSON.stringify(first?.act)).not.toContain('read');
  });

  test('a fingerprint needs no key when everything is shown', async () => {
    const shown: CommandSource = { command: 'node', args: ['server.js'], cwd: '/work' };
    const none = options({ fingerprintKey: () => expect.unreachable('nothing is hidden') });
    expect((await planCommand(shown, none)).act.definition).toBe(await definitionOf(shown));
    expect((await planUrl({ url: 'https://a.test' }, none)).act.definition).toMatch(/^[0-9a-f]{64}$/);
  });

  test('the fingerprint of a URL changes with its variables and with its headers as they are written', async () => {
    const url = (source: UrlSource, env: Record<string, string>): Promise<ServerPlan> =>
      planUrl(source, options({}, env));
    const there: UrlSource = { url: { template: `https://\${env:HOST}/mcp` }, headers: { 'X-Team': 'a' } };
    const all = [
      await url(there, { HOST: 'a.test' }),
      await url(there, { HOST: 'b.test' }),
      await url({ ...there, headers: { 'X-Team': 'b' } }, { HOST: 'a.test' }),
    ];
    expect(new Set(all.map(({ act }) => act.definition)).size).toBe(3);
    const alone: UrlSource = { url: { template: `https://\${env:HOST}/mcp` } };
    const [here, elsewhere] = [await url(alone, { HOST: 'a.test' }), await url(alone, { HOST: 'b.test' })];
    expect(here.act.definition).not.toBe(elsewhere.act.definition);
    expect(here.warnings).toEqual([]);
  });
});

test.each([
  ...['NODE_OPTIONS', 'LD_PRELOAD', 'LD_AUDIT', 'DYLD_INSERT_LIBRARIES', 'npm_config_registry', 'PYTHONSTARTUP'],
  ...['PYTHONPATH', 'BASH_ENV', 'ENV', 'GIT_SSH_COMMAND', 'RUBYOPT', 'PERL5OPT', 'JAVA_TOOL_OPTIONS', 'Path'],
  ...['PATHEXT', 'ComSpec', 'SHELL', 'ZDOTDIR', 'PROMPT_COMMAND', 'IFS', 'HOME', 'USERPROFILE', 'APPDATA'],
  ...['XDG_CONFIG_HOME', 'EDITOR', 'VISUAL', 'PAGER', 'BROWSER', 'LESSOPEN', 'BASH_FUNC_ls%%', 'NODE_PATH'],
  ...['NODE_EXTRA_CA_CERTS', 'NODE_TLS_REJECT_UNAUTHORIZED', 'NODE_REPL_EXTERNAL_MODULE', 'RUBYLIB', 'PERL5LIB'],
  ...['PERL5DB', 'PERLLIB', '_JAVA_OPTIONS', 'JDK_JAVA_OPTIONS', 'CLASSPATH', 'JAVA_HOME', 'PHPRC'],
  ...['PHP_INI_SCAN_DIR', 'R_PROFILE', 'OPENSSL_CONF', 'ELECTRON_RUN_AS_NODE', 'TSX_TSCONFIG_PATH', 'TS_NODE_PROJECT'],
  ...['SSLKEYLOGFILE', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'YARN_REGISTRY'],
  ...['PNPM_HOME', 'COREPACK_NPM_REGISTRY', 'BUN_INSTALL', 'DENO_DIR', 'UV_INDEX_URL', 'PIP_INDEX_URL', 'PIPX_HOME'],
  ...['POETRY_HOME', 'CONDA_PREFIX', 'DOTNET_STARTUP_HOOKS', 'CORECLR_PROFILER', 'COR_PROFILER', 'GEM_PATH'],
  ...['BUNDLE_GEMFILE', 'CARGO_HOME', 'RUSTUP_HOME', 'GOPROXY', 'GOFLAGS', 'DOCKER_HOST', 'PODMAN_HOST'],
  ...['MAVEN_OPTS', 'GRADLE_OPTS', 'SSH_ASKPASS'],
])('the variable %s loads code', (name) => {
  expect(loadsCode(name)).toBe(true);
});

test.each(['API_KEY', 'NODE_ENV', 'MY_PATH', 'OLD_LD_PRELOAD', 'MODE', 'PORT', 'DATABASE_URL', 'DEBUG'])(
  'the variable %s loads no code',
  (name) => {
    expect(loadsCode(name)).toBe(false);
  },
);

describe('an approved command', () => {
  /** A host for one start, with approvals that survive it. */
  async function start(envFile: string, consent: (question: ConsentQuestion) => Promise<void>): Promise<string> {
    await using host = createHost({
      servers: {
        a: { command: process.execPath, args: ['-e', 'console.error(process.env.MODE.length)'], envFile },
      },
      policy: [rules.ask({ kind: 'spawn' }), rules.allow({})],
      approvals: fileApprovals(join(folder, 'approvals')),
      consent: async (question) => {
        await consent(question);
        return { allow: true, remember: { for: 'any arguments', until: Number.MAX_SAFE_INTEGER } };
      },
    });
    const server = host.servers.get('a');
    await server?.connect().catch(() => undefined);
    return server?.log.join('\n') ?? '';
  }

  test('a host asks again for an approved command after a restart only when its envFile has changed', async () => {
    const envFile = join(folder, 'a.env');
    let asked = 0;
    const consent = async (): Promise<void> => void asked++;
    await writeFile(envFile, 'MODE=read');
    await start(envFile, consent);
    await start(envFile, consent);
    expect(asked).toBe(1);
    await writeFile(envFile, 'MODE=hidden-mode');
    await start(envFile, consent);
    expect(asked).toBe(2);
    const kept = await readdir(join(folder, 'approvals'));
    const texts = await Promise.all(kept.map((name) => readFile(join(folder, 'approvals', name), 'utf8')));
    expect(texts.join()).not.toContain('hidden-mode');
    expect((await stat(join(folder, 'approvals', 'fingerprint.key'))).mode & 0o777).toBe(0o600);
  });

  test('a host does not start a command whose envFile changes while the user is asked', async () => {
    const envFile = join(folder, 'b.env');
    await writeFile(envFile, 'MODE=shown');
    const heard = await start(envFile, () => writeFile(envFile, 'MODE=swapped'));
    expect(heard).toContain('its definition changed while the user was asked');
    expect(heard).not.toMatch(/^\D*7$/m);
  });
});
