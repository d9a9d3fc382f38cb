/** The mutations of a regular expression. Each makes it match more. */
import type { Change } from './changes.ts';

/** An escape, a class, a quantifier, an anchor or one other character. */
const PIECE = /\\[pP]\{[^}]*\}|\\.|\[(?:\\.|[^\]\\])*\]|\{\d+(?:,\d*)?\}|\(\?<?[=!:]|./gs;

/** `start` is the position of the expression in the source. */
export function changesOfExpression({ pattern, flags }: { pattern: string; flags: string }, start: number): Change[] {
  const changes: Change[] = [];
  for (const { 0: piece, index } of pattern.matchAll(PIECE)) {
    const wider = widerThan(piece);
    const at = { start: start + 1 + index, end: start + 1 + index + piece.length };
    if (wider !== undefined) changes.push({ ...wider, at });
  }
  const end = start + pattern.length + 2;
  for (const [index, flag] of [...flags].entries()) {
    // Flags of syntax: without them, most expressions are equivalent or invalid.
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
