/**
 * Starts a process for one version of a module. A process and not an import: only a new process forgets the old code whole,
 * with its timers, its connections, and whatever it did to globals.
 */
import { spawn } from 'node:child_process';
import { McpError } from '../../errors.ts';
import { onAbort } from '../../peer/wait.ts';
import { ProcessGroup } from '../../transport/process-group.ts';
import type { ModuleFile } from '../module/load-server.ts';
import type { Shell } from '../shell.ts';
import { Version } from './version.ts';
import type { FromVersion, ToVersion } from './wire.ts';

export interface RunningVersion {
  readonly version: Version;
  /** When its process is no more, with how it ended. */
  readonly gone: Promise<string>;
  /** Ends the process, whatever it is doing. */
  end(): Promise<void>;
}

/** Resolves when its server is loaded. Rejects with what it said instead. */
export async function startVersion(module: ModuleFile, shell: Shell): Promise<RunningVersion> {
  const { self, stderr, clock } = shell;
  const named = module.name === undefined ? [] : ['--export', module.name];
  const child = spawn(self.command, [...self.args, 'dev-version', module.file, ...named], {
    cwd: shell.cwd,
    env: { ...shell.env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // Ctrl-C is for us: calls in hand are answered first.
    detached: shell.platform !== 'win32',
    windowsHide: true,
  });
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => stderr.write(chunk));
  const gone = new Promise<string>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('exit', (code, signal) => resolve(signal === null ? `code ${code}` : `signal ${signal}`));
  });
  const group = child.pid === undefined ? undefined : new ProcessGroup(child, clock);
  const end = async (): Promise<void> => {
    if (child.connected) child.disconnect();
    await group?.end();
  };
  // A process that has ended is not written to; `gone` reports it.
  const send = (message: ToVersion): void => void (child.connected && child.send(message, () => undefined));
  const stop = onAbort(shell.signal, () => void end());
  try {
    const version = await ready(
      (receive) => child.on('message', (sent) => receive(sent as FromVersion)), // what the other end is, it was built with
      { send, gone, argument: module.argument },
    );
    return { version, gone, end };
  } catch (thrown) {
    await end();
    throw thrown;
  } finally {
    stop();
  }
}

function ready(
  listen: (receive: (sent: FromVersion) => void) => void,
  { send, gone, argument }: { send(message: ToVersion): void; gone: Promise<string>; argument: string },
): Promise<Version> {
  return new Promise((resolve, reject) => {
    let version: Version | undefined;
    listen((sent) => {
      if (sent.kind === 'failed') reject(new McpError('MCP_BAD_ARGUMENT', split(sent.why, argument)));
      else if (sent.kind === 'ready') {
        version = new Version(sent.offer, send);
        resolve(version);
      } else version?.receive(sent);
    });
    void gone.then((how) => {
      const reason = new McpError('MCP_SERVER_EXITED', { command: argument, how, stderr: '' });
      version?.lost(reason);
      reject(reason);
    });
  });
}

/** It speaks of the whole path; here it is called as it was typed. */
const split = (why: string, argument: string): { argument: string; why: string } => ({
  argument,
  why: why.slice(why.indexOf(': ') + 2),
});
