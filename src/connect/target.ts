/** What can be connected to, and how a line to it is opened. */
import { McpError } from '../errors.ts';
import type { Dialer, Servable } from '../peer/exchange.ts';
import type { Command } from '../transport/child.ts';
import { memoryDialer } from '../transport/memory.ts';

/** A command to start, a server in this process, or a transport of your own. */
export type Target = Command | Servable | Dialer;

export interface Way {
  readonly dialer: Dialer;
  /** What clients must have in common to share answers; undefined when they share none. */
  readonly origin?: string;
}

export function wayTo(target: Target): Way {
  if (typeof target === 'function') return { dialer: target };
  if (isObject(target) && 'open' in target) return { dialer: memoryDialer(target) };
  if (isObject(target) && 'command' in target) return { dialer: startingDialer(target), origin: originOf(target) };
  throw new McpError('MCP_BAD_DEFINITION', { what: 'The target', why: refusal(target) });
}

/** Processes are loaded only where one is started: everything else runs anywhere. */
function startingDialer(command: Command): Dialer {
  return async (inbound, session) => {
    const { childDialer } = await import('../transport/child.ts');
    return childDialer(command)(inbound, session);
  };
}

const originOf = ({ command, args = [], cwd }: Command): string => JSON.stringify([command, ...args, cwd ?? null]);

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The compiler keeps these out; not everybody asks it. */
function refusal(target: unknown): string {
  if (typeof target === 'string' || target instanceof URL)
    return `HTTP is not available yet in this version, so ${String(target)} cannot be reached; give { command, args }, a server, or a transport`;
  return 'it must be { command, args }, a server, or a transport (a function that opens a line)';
}
