/** A common interface for clients of other implementations. Each call is one call of theirs. */
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
  /** The code of the client's error for a missing resource. */
  readonly notFound: number;
  /** Notifications in order, with `method` and `params`. */
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
  /** Subscribes to changes of a resource, and of the list of tools. */
  watch(uri: string): Promise<unknown>;
  ping(): Promise<unknown>;
  close(): Promise<void>;
}

export type Ref = { readonly type: 'ref/resource'; readonly uri: string };

/** The answers of all clients to questions of servers. */
export const answers = {
  elicitation: { action: 'accept' as const, content: { name: 'Ada', crew: 3 } },
  sampling: { role: 'assistant' as const, model: 'oracle', content: { type: 'text' as const, text: 'north' } },
  roots: { roots: [{ uri: 'file:///hold', name: 'hold' }] },
};

/** Our server as a command, with the given revisions, or all. */
export const ours = (revisions: readonly string[] = []): { command: string; args: string[] } => ({
  command: process.execPath,
  args: [program('our-server'), ...revisions],
});

/** How a client reaches our server. */
export type Over = 'stdio' | 'http' | 'sse';

/** Starts our server in a child process, and returns its URL for this kind of HTTP. */
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

/** Converts a page of theirs. */
export function paged<K extends string, T>(
  result: { readonly [key in K]: readonly T[] } & { readonly nextCursor?: string | undefined },
  key: K,
): { items: readonly T[]; nextCursor: string | undefined } {
  return { items: result[key], nextCursor: result.nextCursor };
}
