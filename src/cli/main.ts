#!/usr/bin/env node
/** The command `mooring`. */
import process from 'node:process';
import { processShell } from './process-shell.ts';
import { runCommandLine } from './run.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), processShell());
