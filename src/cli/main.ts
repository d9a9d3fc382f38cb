#!/usr/bin/env node
/** Entry point of the `mooring` executable. */
import process from 'node:process';

const { node } = process.versions;
// Runs before any other import: an older Node would fail with a syntax or module error that does not name the cause.
if (Number.parseInt(node, 10) < 20) {
  process.stderr.write(`error mooring needs Node 20.19 or later, and this is Node ${node}: install a newer one\n`);
  process.exitCode = 2;
} else {
  const [{ processShell }, { runCommandLine }] = await Promise.all([import('./process-shell.ts'), import('./run.ts')]);
  process.exitCode = await runCommandLine(process.argv.slice(2), processShell());
}
