import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, mooring } from '../../../test/support/command-line.ts';
import { entryPointFix } from './entry-point-fix.ts';

/** A project with a package named like ours, whose entry points export these names. One of them cannot be loaded. */
async function project() {
  const at = await folder();
  const files = {
    'package.json': '{ "type": "module" }',
    'node_modules/mooring/package.json': JSON.stringify({
      type: 'module',
      exports: {
        '.': './index.js',
        './view': './view.js',
        './stdio': './stdio.js',
        './package.json': './package.json',
      },
    }),
    'node_modules/mooring/index.js': 'export const createServer = 1;',
    'node_modules/mooring/view.js': 'throw new Error("needs a page");',
    'node_modules/mooring/stdio.js': 'export const serveStdio = 1;',
  };
  await mkdir(join(at.path, 'node_modules/mooring'), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(at.path, name), text);
  return at;
}

/** The error of Node, in a child process: Vitest loads modules in its own way. */
function errorOf(file: string): Error {
  const { stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
  const [, message = stderr] = /^\w*Error: (.*)$/m.exec(stderr) ?? [];
  return new Error(message);
}

test.each([
  [`import { serveStdio } from 'mooring';`, "write `import { serveStdio } from 'mooring/stdio'`"],
  [`import { createServer } from 'mooring/stdio';`, "write `import { createServer } from 'mooring'`"],
  [
    `throw new TypeError('(0, import_mooring.serveStdio) is not a function');`,
    "write `import { serveStdio } from 'mooring/stdio'`",
  ],
  [`import { serveHtpp } from 'mooring';`, undefined],
  [`throw new TypeError('(0, import_other.serveStdio) is not a function');`, undefined],
  [`throw new Error('no database');`, undefined],
])('of %j, the fix is %j', async (text, fix) => {
  await using at = await project();
  const file = join(at.path, 'server.js');
  await writeFile(file, `${text}\n`);
  expect(await entryPointFix(errorOf(file), file)).toBe(fix);
});

test('without the package, there is no fix', async () => {
  await using at = await folder();
  const error = new SyntaxError("The requested module 'mooring' does not provide an export named 'serveStdio'");
  expect(await entryPointFix(error, join(at.path, 'server.js'))).toBeUndefined();
});

test('a name that is imported from the wrong entry point is reported by the command that loads the module', async () => {
  await using at = await project();
  await writeFile(join(at.path, 'server.js'), `import { serveStdio } from 'mooring';\n`);
  const { code, stderr } = await mooring(['list', './server.js'], { cwd: at.path });
  expect([code, stderr]).toEqual([2, expect.stringContaining("; write `import { serveStdio } from 'mooring/stdio'`")]);
});
