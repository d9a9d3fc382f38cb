/** The small faults that can be put into a source file, each of which some test should notice. */
import { parseSync } from 'rolldown/utils';

export interface Mutant {
  readonly file: string;
  readonly operator: string;
  readonly start: number;
  readonly end: number;
  /** The source line it starts in, counted from 1, and its text. */
  readonly line: number;
  readonly text: string;
  readonly original: string;
  readonly replacement: string;
  /** The innermost function around it, as an index into `functions`; -1 where the module itself is. */
  readonly inside: number;
}

/** Where a probe goes that tells that a function was entered. */
export interface FunctionBody {
  readonly start: number;
  readonly end: number;
  /** Whether the body is an expression, as arrow functions can have it. */
  readonly bare: boolean;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const BOUNDARIES: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const OPPOSITES: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
};
/** TypeScript nodes that hold an expression which runs. All others are types. */
const TRANSPARENT = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression']);

export function findMutants(file: string, source: string): { mutants: Mutant[]; functions: FunctionBody[] } {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  const mutants: Mutant[] = [];
  const functions: FunctionBody[] = [];

  function visit(node: Node, inside: number): void {
    const around = bodyOf(node);
    const here = around === undefined ? inside : functions.push(around) - 1;
    for (const { operator, at = node, replacement } of changesOf(node, source)) {
      const line = source.slice(0, at.start).split('\n').length;
      const text = (source.split('\n')[line - 1] ?? '').trim();
      const original = source.slice(at.start, at.end);
      mutants.push({ file, operator, start: at.start, end: at.end, line, text, original, replacement, inside: here });
    }
    for (const child of childrenOf(node)) visit(child, here);
  }
  visit(program as unknown as Node, -1); // as every node of the tree has these members
  return { mutants, functions };
}

interface Change {
  readonly operator: string;
  readonly at?: { readonly start: number; readonly end: number };
  readonly replacement: string;
}

function changesOf(node: Node, source: string): Change[] {
  const text = (one: unknown): string => (isNode(one) ? source.slice(one.start, one.end) : '');
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
      return isNode(node['test']) ? [forced(node['test'], 'always'), forced(node['test'], 'never')] : [];
    case 'WhileStatement':
      return isNode(node['test']) ? [forced(node['test'], 'never')] : [];
    case 'LogicalExpression':
      return [
        { operator: 'left only', replacement: `(${text(node['left'])})` },
        { operator: 'right only', replacement: `(${text(node['right'])})` },
      ];
    case 'BinaryExpression':
      return comparison(node, text);
    case 'UnaryExpression':
      return node['operator'] === '!' ? [{ operator: 'not negated', replacement: `(${text(node['argument'])})` }] : [];
    case 'Literal':
      return constant(node['value']);
    case 'SpreadElement':
      // Allowed in lists, objects and calls alike, and nothing in each.
      return [{ operator: 'drop spread', replacement: '...[]' }];
    case 'ReturnStatement':
      return returned(node['argument']);
    case 'ArrowFunctionExpression':
      return returned(node['body']);
    case 'ExpressionStatement':
      return isDirective(node) ? [] : [{ operator: 'drop', replacement: ';' }];
    case 'ThrowStatement':
      return [{ operator: 'no throw', replacement: ';' }];
    case 'ContinueStatement':
    case 'BreakStatement':
      return [{ operator: 'no jump', replacement: ';' }];
    default:
      return [];
  }
}

function forced(test: Node, operator: 'always' | 'never'): Change {
  return { operator, at: test, replacement: operator === 'always' ? 'true' : 'false' };
}

/** Not where nearly nothing is returned anyway: `false` is tried as `true`. */
function returned(value: unknown): Change[] {
  if (!isNode(value) || value.type === 'BlockStatement') return [];
  if (value['value'] === false || value['value'] === null || value['name'] === 'undefined') return [];
  return [{ operator: 'return nothing', at: value, replacement: 'undefined' }];
}

function comparison(node: Node, text: (one: unknown) => string): Change[] {
  const operator = String(node['operator']);
  const other = BOUNDARIES[operator] ?? OPPOSITES[operator];
  if (other === undefined) return [];
  const replacement = `${text(node['left'])} ${other} ${text(node['right'])}`;
  return [{ operator: operator in BOUNDARIES ? 'boundary' : 'opposite', replacement }];
}

function constant(value: unknown): Change[] {
  if (typeof value === 'number') return [{ operator: 'constant', replacement: String(value + 1) }];
  return typeof value === 'boolean' ? [{ operator: 'constant', replacement: String(!value) }] : [];
}

function isDirective(node: Node): boolean {
  return typeof node['directive'] === 'string';
}

/** A function with a body that can say that it was entered. */
function bodyOf(node: Node): FunctionBody | undefined {
  if (!['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(node.type)) return undefined;
  const body = node['body'];
  if (!isNode(body)) return undefined;
  return { start: body.start, end: body.end, bare: body.type !== 'BlockStatement' };
}

function childrenOf(node: Node): Node[] {
  if (node.type.startsWith('TS') && !TRANSPARENT.has(node.type)) return [];
  if (node.type === 'ImportDeclaration') return [];
  return Object.entries(node).flatMap(([key, value]) => {
    // A name of a member is no value, and a literal there would change the shape only.
    if (key === 'key' && node['computed'] !== true) return [];
    return (Array.isArray(value) ? value : [value]).filter(isNode);
  });
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

export function applyMutant(source: string, { start, end, replacement }: Omit<Mutant, 'inside'>): string {
  return source.slice(0, start) + replacement + source.slice(end);
}

/** The source with a call at the beginning of every function, which says which one it is. */
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
  // Backwards, so that earlier places stay where they are. At one place the closing of an inner body comes first.
  const ordered = insertions
    .map(([at, text], order) => ({ at, text, order }))
    .sort((a, b) => b.at - a.at || b.order - a.order);
  let result = source;
  for (const { at, text } of ordered) result = result.slice(0, at) + text + result.slice(at);
  return result;
}
