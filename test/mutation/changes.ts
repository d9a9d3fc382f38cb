/** The mutations of one syntax node. */
import { changesOfExpression } from './regex-changes.ts';

export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

export interface Change {
  readonly operator: string;
  /** The range, if it is not the whole node. */
  readonly at?: { readonly start: number; readonly end: number };
  readonly replacement: string;
}

const BOUNDARIES: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const OPPOSITES: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&': '|',
  '|': '&',
  '<<': '>>',
  '>>': '<<',
  '>>>': '<<',
};
/** Methods that are easily confused. A list has no `startsWith`: that mutant throws, and every test kills it. */
const MISTAKEN: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  startsWith: 'includes',
  endsWith: 'includes',
  includes: 'startsWith',
  min: 'max',
  max: 'min',
};
/** Methods whose result has the type of their receiver, so that the call can be dropped. */
const FORGOTTEN = new Set(['filter', 'normalize', 'replace', 'replaceAll', 'slice', 'toLowerCase', 'trim']);
const FUNCTIONS = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];

/** `ancestors` is outermost first. */
export function changesOf(node: Node, ancestors: readonly Node[], source: string): Change[] {
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
      return constant(node);
    case 'TemplateLiteral':
      return withoutPart(node);
    case 'ArrayExpression':
      return withoutElement(node);
    case 'SpreadElement':
      // Valid and empty in lists, objects and calls.
      return [{ operator: 'drop spread', replacement: '...[]' }];
    case 'MemberExpression':
      return notOptional(node, node['object'], source);
    case 'CallExpression':
      return [...notOptional(node, node['callee'], source), ...otherCall(node, text)];
    case 'AwaitExpression':
      return isAwaitedAnyway(ancestors) ? [] : [{ operator: 'no await', replacement: `(${text(node['argument'])})` }];
    case 'ReturnStatement':
      return [
        ...returned(node['argument']),
        ...(isEarly(ancestors) ? [{ operator: 'no return', replacement: ';' }] : []),
      ];
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

/** Skips `false`, for which another mutation exists. */
function returned(value: unknown): Change[] {
  if (!isNode(value) || value.type === 'BlockStatement') return [];
  if (value['value'] === false || value['value'] === null || value['name'] === 'undefined') return [];
  return [{ operator: 'return nothing', at: value, replacement: 'undefined' }];
}

/** In a switch case, or after other statements of a block. A block with a single return is covered by `never`. */
function isEarly(ancestors: readonly Node[]): boolean {
  const [around, block] = ancestors.slice(-2);
  if (block?.type === 'SwitchCase') return true;
  return block?.type === 'BlockStatement' && !isFunction(around) && nodesOf(block['body']).length > 1;
}

/** Whether the caller awaits a returned promise anyway: true outside of `try`. */
function isAwaitedAnyway(ancestors: readonly Node[]): boolean {
  const inner = ancestors.slice(ancestors.findLastIndex(isFunction));
  return (
    ['ReturnStatement', 'ArrowFunctionExpression'].includes(inner.at(-1)?.type ?? '') &&
    !inner.some(({ type }) => type === 'TryStatement')
  );
}

function comparison(node: Node, text: (one: unknown) => string): Change[] {
  const operator = String(node['operator']);
  const [left, right] = [text(node['left']), text(node['right'])];
  const boundary = BOUNDARIES[operator];
  if (boundary !== undefined) {
    return [
      { operator: 'boundary', replacement: `${left} ${boundary} ${right}` },
      { operator: 'swapped', replacement: `${right} ${operator} ${left}` },
    ];
  }
  const opposite = OPPOSITES[operator];
  return opposite === undefined ? [] : [{ operator: 'opposite', replacement: `${left} ${opposite} ${right}` }];
}

function constant({ value, regex, start }: Node): Change[] {
  if (isPattern(regex)) return changesOfExpression(regex, start);
  if (typeof value === 'boolean') return [{ operator: 'constant', replacement: String(!value) }];
  // Texts for people contain spaces, keys and identifiers do not.
  if (typeof value === 'string') return /^$|\s/.test(value) ? [] : [{ operator: 'no text', replacement: "''" }];
  if (typeof value !== 'number') return [];
  const limits = [...(value > 1 ? [value * 1000] : []), ...(value > 0 ? [0] : [])];
  return [
    { operator: 'constant', replacement: String(value + 1) },
    ...limits.map((limit) => ({ operator: 'limit', replacement: String(limit) })),
  ];
}

/** Drops one value of a composite key. */
function withoutPart(node: Node): Change[] {
  const [quasis, expressions] = [nodesOf(node['quasis']), nodesOf(node['expressions'])];
  if (quasis.some(({ value }) => /\s/.test((value as { raw: string }).raw))) return []; // every quasi has it
  return expressions.map((expression) => ({ operator: 'no part', at: expression, replacement: "''" }));
}

function withoutElement(node: Node): Change[] {
  return nodesOf(node['elements']).flatMap((element, index, all) =>
    element.type === 'SpreadElement'
      ? []
      : [
          {
            operator: 'drop element',
            at: { start: element.start, end: all[index + 1]?.start ?? node.end - 1 },
            replacement: '',
          },
        ],
  );
}

function notOptional(node: Node, object: unknown, source: string): Change[] {
  if (node['optional'] !== true || !isNode(object)) return [];
  const start = source.indexOf('?.', object.end);
  const isName = node.type === 'MemberExpression' && node['computed'] !== true;
  return [{ operator: 'not optional', at: { start, end: start + 2 }, replacement: isName ? '.' : '' }];
}

function otherCall(node: Node, text: (one: unknown) => string): Change[] {
  const callee = node['callee'];
  if (!isNode(callee) || callee.type !== 'MemberExpression' || callee['computed'] === true) return [];
  const name = text(callee['property']);
  const other = MISTAKEN[name];
  if (other !== undefined && isNode(callee['property'])) {
    return [{ operator: 'other method', at: callee['property'], replacement: other }];
  }
  return FORGOTTEN.has(name) ? [{ operator: 'no call', replacement: text(callee['object']) }] : [];
}

function isDirective(node: Node): boolean {
  return typeof node['directive'] === 'string';
}

export function isFunction(node: Node | undefined): boolean {
  return node !== undefined && FUNCTIONS.includes(node.type);
}

function isPattern(regex: unknown): regex is { pattern: string; flags: string } {
  return typeof regex === 'object' && regex !== null;
}

function nodesOf(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}
