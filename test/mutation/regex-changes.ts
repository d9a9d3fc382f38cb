/** The faults that a regular expression can be given. Each lets it match more than it should. */
import type { Change } from './changes.ts';

/** An escaped character, a class, a repetition or an anchor; the rest is one character each. */
const PIECE = /\\[pP]\{[^}]*\}|\\.|\[(?:\\.|[^\]\\])*\]|\{\d+(?:,\d*)?\}|\(\?<?[=!:]|./gs;

/** `start` is where the expression begins in the source. */
export function changesOfExpression({ pattern, flags }: { pattern: string; flags: string }, start: number): Change[] {
  const changes: Change[] = [];
  for (const { 0: piece, index } of pattern.matchAll(PIECE)) {
    const wider = widerThan(piece);
    const at = { start: start + 1 + index, end: start + 1 + index + piece.length };
    if (wider !== undefined) changes.push({ ...wider, at });
  }
  const end = start + pattern.length + 2;
  for (const [index, flag] of [...flags].entries()) {
    // These say how the expression is written; without them, most are the same or an error.
    if (flag === 'u' || flag === 'v') continue;
    changes.push({ operator: 'no flag', at: { start: end + index, end: end + index + 1 }, replacement: '' });
  }
  return changes;
}

function widerThan(piece: string): Omit<Change, 'at'> | undefined {
  if (piece === '^' || piece === '$' || piece === '\\b') return { operator: 'no anchor', replacement: '' };
  if (piece === '+' || /^\{\d/.test(piece)) return { operator: 'any number', replacement: '*' };
  if (/^(?:\[.|\\[dDwWsSpP])/.test(piece)) return { operator: 'any character', replacement: '[^]' };
  return undefined;
}
