/** Generates mutants of a source file. */
import { parseSync } from 'rolldown/utils';
import { changesOf, isFunction, isNode, type Node } from './changes.ts';

export interface Mutant {
  readonly file: string;
  readonly operator: string;
  readonly start: number;
  readonly end: number;
  /** The number of its first line, from 1, and the text. */
  readonly line: number;
  readonly text: string;
  readonly original: string;
  readonly replacement: string;
  /** The index of the innermost function in `functions`; -1 for the module. */
  readonly inside: number;
}

/** Where to insert a probe that reports that a function was entered. */
export interface FunctionBody {
  readonly start: number;
  readonly end: number;
  /** Whether the body is an expression, as in arrow functions. */
  readonly bare: boolean;
}

/** TypeScript nodes that contain a runtime expression. All others are types. */
const TRANSPARENT = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression']);

export function findMutants(file: string, source: string): { mutants: Mutant[]; functions: FunctionBody[] } {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  const mutants: Mutant[] = [];
  const functions: FunctionBody[] = [];

  function visit(node: Node, inside: number, ancestors: readonly Node[]): void {
    const around = bodyOf(node);
    const here = around === undefined ? inside : functions.push(around) - 1;
    for (const { operator, at = node, replacement } of changesOf(node, ancestors, source)) {
      const line = source.slice(0, at.start).split('\n').length;
      const text = (source.split('\n')[line - 1] ?? '').trim();
      const original = source.slice(at.start, at.end);
      mutants.push({ file, operator, start: at.start, end: at.end, line, text, original, replacement, inside: here });
    }
    const path = [...ancestors, node];
    for (const child of childrenOf(node)) visit(child, here, path);
  }
  visit(program as unknown as Node, -1, []); // every node of the tree has these members
  return { mutants, functions };
}

function bodyOf(node: Node): FunctionBody | undefined {
  if (!isFunction(node)) return undefined;
  const body = node['body'];
  if (!isNode(body)) return undefined;
  return { start: body.start, end: body.end, bare: body.type !== 'BlockStatement' };
}

function childrenOf(node: Node): Node[] {
  if (node.type.startsWith('TS') && !TRANSPARENT.has(node.type)) return [];
  if (node.type === 'ImportDeclaration') return [];
  return Object.entries(node).flatMap(([key, value]) => {
    // A member name is not a value, and a literal key would change only the shape.
    if (key === 'key' && node['computed'] !== true) return [];
    return (Array.isArray(value) ? value : [value]).filter(isNode);
  });
}

export function applyMutant(source: string, { start, end, replacement }: Omit<Mutant, 'inside'>): string {
  return source.slice(0, start) + replacement + source.slice(end);
}

/** Inserts a call with the function's index at the beginning of every function. */
export function insertProbes(
  source: string,
  functions: readonly FunctionBody[],
  call: (index: number) => string,
): string {
  const insertions = functions.flatMap(({ start, end, bare }, index): [number, string][] =>
    bare
      ? [
          [start, `(${call(index)}, `],
          [end, ')'],
        ]
      : [[start + 1, `${call(index)};`]],
  );
  // Backwards, so that positions stay valid. At equal positions, inner bodies close first.
  const ordered = insertions
    .map(([at, text], order) => ({ at, text, order }))
    .sort((a, b) => b.at - a.at || b.order - a.order);
  let result = source;
  for (const { at, text } of ordered) result = result.slice(0, at) + text + result.slice(at);
  return result;
}
