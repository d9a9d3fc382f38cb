/** Building one revision's table of methods from the one before. */
import type { Method, MethodTable } from './contract.ts';

interface MethodChange {
  readonly requests?: Readonly<Record<string, Method>>;
  readonly questions?: readonly string[];
  readonly notifications?: readonly string[];
}

export const noMethods: MethodTable = { requests: new Map(), questions: new Set(), notifications: new Set() };

export function extend(before: MethodTable, add: MethodChange): MethodTable {
  return {
    requests: new Map([...before.requests, ...Object.entries(add.requests ?? {})]),
    questions: new Set([...before.questions, ...(add.questions ?? [])]),
    notifications: new Set([...before.notifications, ...(add.notifications ?? [])]),
  };
}

export function without(before: MethodTable, gone: readonly string[]): MethodTable {
  const kept = (name: string): boolean => !gone.includes(name);
  return {
    requests: new Map([...before.requests].filter(([name]) => kept(name))),
    questions: new Set([...before.questions].filter(kept)),
    notifications: new Set([...before.notifications].filter(kept)),
  };
}
