/** What the tests ask of another implementation's client, whatever it calls it. Each call is one call of theirs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { program } from '../bundle-servers.ts';

export interface Listed {
  readonly name: string;
  readonly outputSchema?: unknown;
}

export interface CallResult {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: {
    progress: number;
    total?: number | undefined;
    message?: string | undefined;
  }) => void;
  readonly meta?: Readonly<Record<string, unknown>>;
}

export interface Contents {
  readonly uri: string;
  readonly text?: string;
  readonly blob?: string;
}

export interface PeerClient {
  readonly revision: string | undefined;
  readonly server: { readonly name: string; readonly version: string } | undefined;
  readonly instructions: string | undefined;
  readonly pid: number | null;
  /** The code by which the client says that there is no such resource. */
  readonly notFound: number;
  /** Notifications, in order, as `method` and `params`. */
  readonly heard: readonly { readonly method: string; readonly params?: unknown }[];
  /** One page of a list. */
  page(
    kind: 'tools' | 'resources' | 'resourceTemplates' | 'prompts',
    cursor: string | undefined,
  ): Promise<{ readonly items: readonly Listed[]; readonly nextCursor: string | undefined }>;
  call(name: string, args?: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<CallResult>;
  read(uri: string): Promise<{ readonly contents: readonly Contents[] }>;
  get(name: string, args?: Readonly<Record<string, string>>): Promise<{ readonly messages: readonly unknown[] }>;
  complete(ref: Ref, argument: { name: string; value: string }): Promise<readonly string[]>;
  setLevel(level: 'debug' | 'warning'): Promise<unknown>;
  /** Asks to be told of changes to a resource, and to the list of tools. */
  watch(uri: string): Promise<unknown>;
  ping(): Promise<unknown>;
  close(): Promise<void>;
}

export type Ref = { readonly type: 'ref/resource'; readonly uri: string };

/** How every client here answers what a server may ask. */
export const answers = {
  elicitation: { action: 'accept' as const, content: { name: 'Ada', crew: 3 } },
  sampling: { role: 'assistant' as const, model: 'oracle', content: { type: 'text' as const, text: 'north' } },
  roots: { roots: [{ uri: 'file:///hold', name: 'hold' }] },
};

/** Our server as a command, speaking only the given revisions, or all. */
export const ours = (revisions: readonly string[] = []): { command: string; args: string[] } => ({
  command: process.execPath,
  args: [program('our-server'), ...revisions],
});

/** How a client reaches our server. */
export type Over = 'stdio' | 'http' | 'sse';

/** Our server in a process of its own, at the address for this kind of HTTP. */
export async function oursOverHttp(
  over: 'http' | 'sse',
  revisions: readonly string[] = [],
): Promise<{ readonly url: URL; stop(): void }> {
  const child = spawn(process.execPath, [program('our-server'), '--http', ...revisions], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { url: new URL(over === 'sse' ? '/sse' : '', line), stop: () => void child.kill() };
}

/** A page of theirs as one of ours. */
export function paged<K extends string, T>(
  result: { readonly [key in K]: readonly T[] } & { readonly nextCursor?: string | undefined },
  key: K,
): { items: readonly T[]; nextCursor: string | undefined } {
  return { items: result[key], nextCursor: result.nextCursor };
}
