/** Stores one secret in the system's keychain, through its command-line tool. Passes the secret on stdin, because arguments are visible in the process list. */
import { execFile } from 'node:child_process';
import type { Shell } from '../shell.ts';

export interface Keychain {
  /** Undefined if there is no secret. Rejects if there is no keychain or it stays locked. */
  read(): Promise<string | undefined>;
  write(secret: string): Promise<void>;
}

interface KeychainDialect {
  readonly command: string;
  readonly read: readonly string[];
  /** Distinguishes "no such secret" from a failure. */
  isMissing(result: ToolOutput): boolean;
  readonly write: readonly string[];
  /** The stdin of the write command. Not escaped: the secret is hexadecimal. */
  input(secret: string): string;
}

interface ToolOutput {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** Time for the user to unlock the keychain. */
const UNLOCK_MS = 60_000;
const MAX_BYTES = 4_096;

/** No Windows: command-line tools cannot read secrets of its Credential Manager. */
const dialects: Readonly<Record<string, KeychainDialect>> = {
  linux: {
    command: 'secret-tool',
    read: ['lookup', 'service', 'mooring', 'account', 'credentials'],
    isMissing: ({ code, stderr }) => code === 1 && stderr.trim() === '',
    write: ['store', '--label=Mooring credentials', 'service', 'mooring', 'account', 'credentials'],
    input: (secret) => secret,
  },
  darwin: {
    command: 'security',
    read: ['find-generic-password', '-s', 'mooring', '-a', 'credentials', '-w'],
    isMissing: ({ code }) => code === 44,
    write: ['-i'],
    input: (secret) => `add-generic-password -U -s mooring -a credentials -w ${secret}\n`,
  },
};

/** Undefined on other systems. */
export function systemKeychain({
  platform,
  env,
  signal,
}: Pick<Shell, 'platform' | 'env' | 'signal'>): Keychain | undefined {
  const dialect = dialects[platform];
  if (dialect === undefined) return undefined;
  const run = (args: readonly string[], input = ''): Promise<ToolOutput> =>
    new Promise((resolve) => {
      const options = { env, signal, timeout: UNLOCK_MS, maxBuffer: MAX_BYTES, windowsHide: true };
      const child = execFile(dialect.command, [...args], options, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? (error === null ? 0 : 'ended'), stdout, stderr }),
      );
      // Ignores EPIPE if the tool does not exist.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(input);
    });
  const read = async (): Promise<string | undefined> => {
    const result = await run(dialect.read);
    if (result.code === 0) return result.stdout.trim();
    if (dialect.isMissing(result)) return undefined;
    throw new Error(`${dialect.command} failed (${result.code})`);
  };
  return {
    read,
    async write(secret) {
      await run(dialect.write, dialect.input(secret));
      // Reads back to verify: one of the tools exits with 0 even on failure.
      if ((await read()) !== secret) throw new Error(`${dialect.command} did not keep it`);
    },
  };
}
