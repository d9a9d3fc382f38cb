/** `mooring dev` with real files, processes and clients: the code changes, and clients stay connected. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { connect } from '../../src/connect/index.ts';
import { folder, self } from '../support/command-line.ts';

const entryPoint = pathToFileURL(resolve('.cache/fixtures/mooring.mjs')).href;
const moduleText = (tools: string): string => `import { createServer, tool } from '${entryPoint}';
import { word } from './word.ts';
const part = (name: string) => tool({ name, description: name, run: () => \`\${word} \${process.pid}\` });
export const server = createServer({ name: 'dock', version: '1', parts: [${tools}] });
`;
/** A new project with ES modules. */
async function project(tools: string): Promise<Awaited<ReturnType<typeof folder>>> {
  const made = await folder();
  await writeFile(join(made.path, 'package.json'), '{"type":"module"}');
  await writeFile(join(made.path, 'server.ts'), moduleText(tools));
  await writeFile(join(made.path, 'word.ts'), word(`'one'`));
  return made;
}
const word = (text: string): string => `export const word: string = ${text};\n`;

/** Collects the output of a process. */
class Ear {
  #said = '';
  #waiting: (() => void)[] = [];

  readonly hear = (text: string): void => {
    this.#said += text;
    for (const look of this.#waiting.splice(0)) look();
  };

  /** Consumes everything up to and including the first match. */
  async until(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.#said);
      if (found !== null) {
        this.#said = this.#said.slice(found.index + found[0].length);
        return found[1] ?? found[0];
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('over stdio, an edit is served without a new connection, a broken one is shown, and nothing is left behind', async () => {
  await using dock = await project(`part('greet')`);
  const at = (name: string): string => join(dock.path, name);
  const ear = new Ear();
  const pids: number[] = [];
  {
    const command = { command: self.command, args: [...self.args, 'dev', 'server.ts'], cwd: dock.path };
    await using client = await connect({ ...command, onStderr: ear.hear });
    const greet = async (name = 'greet'): Promise<string> => {
      const [text = '', pid] = (await client.call(name)).text.split(' ');
      pids.push(Number(pid));
      return text;
    };
    expect(await greet()).toBe('one');
    await ear.until(/ready dock: 1 tool,/);
    await ear.until(/tools\/call greet {2}\d+ ms {2}ok {2}\d+ B\n/);
    const watch = client.watch({ tools: true });
    await watch.granted;
    await writeFile(at('word.ts'), word(`'two'`));
    await ear.until(/reloaded the same tools/);
    expect(await greet()).toBe('two');
    await writeFile(at('word.ts'), word(''));
    expect(await ear.until(/reload failed (.*)\n/)).toMatch(
      /server\.ts: the module failed while loading at word\.ts:1:\d+/,
    );
    await ear.until(/still serving the previous version/);
    expect(await greet()).toBe('two');
    await writeFile(at('word.ts'), word(`'three'`));
    await ear.until(/reloaded the same tools/);
    await writeFile(at('server.ts'), moduleText(`part('hello')`));
    await ear.until(/reloaded tools \+hello −greet/);
    expect(await watch.nextChange()).toEqual({ kind: 'tools' });
    expect(await greet('hello')).toBe('three');
  }
  expect(new Set(pids).size).toBe(3);
  expect(pids.filter(isRunning)).toEqual([]);
});

test('over HTTP, sessions and requests without one go on with the new code; Ctrl-C ends all of it', async () => {
  await using dock = await project(`part('greet')`);
  const child = spawn(self.command, [...self.args, 'dev', 'server.ts', '--http', '0', '--json'], { cwd: dock.path });
  const ear = new Ear();
  child.stdout.on('data', (chunk: Buffer) => ear.hear(chunk.toString()));
  const url = await ear.until(/"url":"([^"]+)"/);
  const clients = await Promise.all(['2026-07-28', '2025-11-25'].map((id) => connect(url, { revisions: [id] })));
  const greet = (): Promise<string[]> => Promise.all(clients.map(async (client) => (await client.call('greet')).text));
  const [first, second] = await greet();
  expect(first).toMatch(/^one \d+$/);
  // One process for all of them, as when the server runs permanently.
  expect(second).toBe(first);
  await writeFile(join(dock.path, 'word.ts'), word(`'two'`));
  await ear.until(/"event":"reloaded","changes":\[\]/);
  const [third = ''] = await greet();
  expect(third).toMatch(/^two \d+$/);
  await Promise.all(clients.map((client) => client.close()));
  child.kill('SIGINT');
  expect((await once(child, 'close'))[0]).toBe(130);
  expect([first, third].map((text) => Number(text?.split(' ')[1])).filter(isRunning)).toEqual([]);
});

test('a module that cannot be loaded at the start is served from the change that mends it', async () => {
  await using dock = await project(`part('greet')`);
  await writeFile(join(dock.path, 'word.ts'), word(''));
  const child = spawn(self.command, [...self.args, 'dev', 'server.ts', '--http', '0'], { cwd: dock.path });
  const ear = new Ear();
  child.stderr.on('data', (chunk: Buffer) => ear.hear(chunk.toString()));
  expect(await ear.until(/\n(\w*load failed) .*\n {2}waiting for a change\n/)).toBe('load failed');
  await writeFile(join(dock.path, 'word.ts'), word(`'one'`));
  await ear.until(/ready dock: 1 tool,/);
  child.kill('SIGINT');
  expect((await once(child, 'close'))[0]).toBe(130);
});
