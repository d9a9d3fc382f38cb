#!/usr/bin/env node
/** The command `mooring`. */
import process from 'node:process';

const { node } = process.versions;
// Before anything else is loaded: an older Node would fail at the first thing that it does not know, and not say why.
if (Number.parseInt(node, 10) < 20) {
  process.stderr.write(`error mooring needs Node 20.19 or later, and this is Node ${node}: install a newer one\n`);
  process.exitCode = 2;
} else {
  const [{ processShell }, { runCommandLine }] = await Promise.all([import('./process-shell.ts'), import('./run.ts')]);
  process.exitCode = await runCommandLine(process.argv.slice(2), processShell());
}
