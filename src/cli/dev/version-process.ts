/**
 * Starts a child process for one version of a module. Importing it again would keep the old code's timers, connections and changes
 * to globals.
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
  /** Resolves when the process exits, with its exit code or signal. */
  readonly exited: Promise<string>;
  /** Ends the process group. */
  end(): Promise<void>;
}

/** Resolves when the server is loaded. Rejects with the load error. */
export async function startVersion(module: ModuleFile, shell: Shell): Promise<RunningVersion> {
  const { self, stderr, clock } = shell;
  const named = module.name === undefined ? [] : ['--export', module.name];
  const child = spawn(self.command, [...self.args, 'dev-version', module.file, ...named], {
    cwd: shell.cwd,
    env: { ...shell.env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // A process group of its own, so that Ctrl-C reaches only the parent, which drains running calls first.
    detached: shell.platform !== 'win32',
    windowsHide: true,
  });
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => stderr.write(chunk));
  const exited = new Promise<string>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('exit', (code, signal) => resolve(signal === null ? `code ${code}` : `signal ${signal}`));
  });
  const group = child.pid === undefined ? undefined : new ProcessGroup(child, clock);
  const end = async (): Promise<void> => {
    if (child.connected) child.disconnect();
    await group?.end();
  };
  // Ignores send errors of an exited process; `exited` reports it.
  const send = (message: ToVersion): void => void (child.connected && child.send(message, () => undefined));
  const stop = onAbort(shell.signal, () => void end());
  try {
    const version = await untilReady(
      (receive) => child.on('message', (sent) => receive(sent as FromVersion)), // the child runs the same build
      { send, exited, argument: module.argument },
    );
    return { version, exited, end };
  } catch (thrown) {
    await end();
    throw thrown;
  } finally {
    stop();
  }
}

function untilReady(
  listen: (receive: (sent: FromVersion) => void) => void,
  { send, exited, argument }: { send(message: ToVersion): void; exited: Promise<string>; argument: string },
): Promise<Version> {
  return new Promise((resolve, reject) => {
    let version: Version | undefined;
    listen((sent) => {
      if (sent.kind === 'failed') reject(new McpError('MCP_BAD_ARGUMENT', withTypedPath(sent.why, argument)));
      else if (sent.kind === 'ready') {
        version = new Version(sent.offer, send);
        resolve(version);
      } else version?.receive(sent);
    });
    void exited.then((how) => {
      const reason = new McpError('MCP_SERVER_EXITED', { command: argument, how, stderr: '' });
      version?.fail(reason);
      reject(reason);
    });
  });
}

/** The child names the absolute path; replaces it with the path as typed. */
const withTypedPath = (why: string, argument: string): { argument: string; why: string } => ({
  argument,
  why: why.slice(why.indexOf(': ') + 2),
});
