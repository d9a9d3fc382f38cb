/** Starts Chromium, and controls it by the DevTools protocol. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { WebSocket } from 'undici';
import { eventually } from '../support/children.ts';
import { chromium } from './chromium.ts';

export interface BrowserPage {
  /** Evaluates an expression in the page; awaits a promise. */
  evaluate<T>(expression: string): Promise<T>;
  /** A trusted click, with the permissions that scripts lack. */
  click(x: number, y: number): Promise<void>;
  command(method: string, params?: object): Promise<unknown>;
  close(): Promise<void>;
}

export interface Browser {
  open(url: string): Promise<BrowserPage>;
  /** The page of an out-of-process frame, by the beginning of its URL. */
  frame(url: string): Promise<Pick<BrowserPage, 'evaluate'>>;
  /** The URLs of all pages and windows. */
  pages(): Promise<readonly string[]>;
  command(method: string, params?: object): Promise<unknown>;
  close(): Promise<void>;
}

interface Reply {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

const quiet = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-dev-shm-usage', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync', '--remote-debugging-port=0'],
  ...['--use-fake-device-for-media-stream', '--site-per-process'],
];

/** Starts a browser with a new profile. */
export async function startBrowser(...more: readonly string[]): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'mooring-chromium-'));
  const child = spawn(chromium(), [...quiet, ...more, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: 'ignore',
    detached: true,
  });
  // A browser has many processes, which outlive the first one.
  const kill = (): void => void killGroup(child);
  process.once('exit', kill);
  await eventually('the browser to listen', () => portFile(profile).length > 1, 60_000);
  const [port, path] = portFile(profile);
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
  const send = await replies(socket);
  return {
    open: (url) => openPage(send, url),
    frame: async (url) => {
      const { targetInfos } = (await send('Target.getTargets')) as Targets; // by the protocol
      const found = targetInfos.find((target) => target.type === 'iframe' && target.url.startsWith(url));
      if (found === undefined) throw new Error(`No frame has the address ${url}`);
      return attachPage(send, found.targetId);
    },
    pages: async () => {
      const { targetInfos } = (await send('Target.getTargets')) as Targets; // by the protocol
      return targetInfos.filter(({ type }) => type === 'page').map(({ url }) => url);
    },
    command: (method, params) => send(method, params),
    async close() {
      socket.close();
      kill();
      process.off('exit', kill);
      await eventually('the browser to end', () => child.exitCode !== null || child.signalCode !== null);
      rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

type Send = (method: string, params?: object, sessionId?: string) => Promise<unknown>;
interface Targets {
  readonly targetInfos: readonly { readonly type: string; readonly url: string; readonly targetId: string }[];
}

async function replies(socket: WebSocket): Promise<Send> {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(String(data)) as Reply; // Chromium wrote it
    const call = id === undefined ? undefined : waiting.get(id);
    if (id === undefined || call === undefined) return;
    waiting.delete(id);
    if (error === undefined) call.resolve(result);
    else call.reject(new Error(error.message));
  });
  socket.addEventListener('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('The browser is gone'));
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', () => reject(new Error('The browser does not speak')), { once: true });
  });
  let last = 0;
  return (method, params = {}, sessionId) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, { resolve, reject });
      socket.send(JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }));
    });
}

async function openPage(send: Send, url: string): Promise<BrowserPage> {
  const { targetId } = (await send('Target.createTarget', { url: 'about:blank' })) as { targetId: string }; // by the protocol
  const page = await attachPage(send, targetId);
  await page.command('Page.enable');
  await page.command('Page.navigate', { url });
  return page;
}

async function attachPage(send: Send, targetId: string): Promise<BrowserPage> {
  const attached = (await send('Target.attachToTarget', { targetId, flatten: true })) as { sessionId: string }; // by the protocol
  const command = (method: string, params?: object): Promise<unknown> => send(method, params, attached.sessionId);
  return {
    command,
    async evaluate<T>(expression: string) {
      const options = { expression, awaitPromise: true, returnByValue: true };
      const { result, exceptionDetails } = (await command('Runtime.evaluate', options)) as Evaluated<T>;
      if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? 'It threw');
      return result.value;
    },
    async click(x, y) {
      await command('Page.bringToFront');
      for (const type of ['mouseMoved', 'mousePressed', 'mouseReleased'])
        await command('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
    },
    close: async () => void (await send('Target.closeTarget', { targetId })),
  };
}

interface Evaluated<T> {
  readonly result: { readonly value: T };
  readonly exceptionDetails?: { readonly exception?: { readonly description?: string } };
}

function portFile(profile: string): readonly string[] {
  try {
    return readFileSync(join(profile, 'DevToolsActivePort'), 'utf8').split('\n');
  } catch {
    return []; // not yet
  }
}

function killGroup({ pid = 0 }: ChildProcess): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has exited.
  }
}
