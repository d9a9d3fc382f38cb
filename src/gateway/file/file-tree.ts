/** Looks up values by path in the parsed file, valid or not, and reports findings at a path. */
import type { JsoncNode } from '../../files/jsonc.ts';
import { isObjectNode, type JsoncPath, nodeAt } from '../../files/jsonc-tree.ts';
import type { FileFindings } from './file-finding.ts';

export class FileTree {
  readonly #root: JsoncNode;
  readonly #findings: FileFindings;

  constructor(root: JsoncNode, findings: FileFindings) {
    this.#root = root;
    this.#findings = findings;
  }

  nodeAt(path: JsoncPath): JsoncNode | undefined {
    return nodeAt(this.#root, path);
  }

  has(...path: JsoncPath): boolean {
    return this.nodeAt(path) !== undefined;
  }

  /** Undefined unless the value is a string. */
  textAt(...path: JsoncPath): string | undefined {
    const node = this.nodeAt(path);
    return node?.kind === 'value' && typeof node.value === 'string' ? node.value : undefined;
  }

  /** A string, or the strings of a list. */
  textsAt(...path: JsoncPath): readonly string[] {
    const node = this.nodeAt(path);
    const nodes = node?.kind === 'array' ? node.items : node === undefined ? [] : [node];
    return nodes.flatMap((one) => (one.kind === 'value' && typeof one.value === 'string' ? [one.value] : []));
  }

  keysAt(...path: JsoncPath): readonly string[] {
    const node = this.nodeAt(path);
    return isObjectNode(node) ? [...new Set(node.members.map(({ key }) => key))] : [];
  }

  lengthAt(...path: JsoncPath): number {
    const node = this.nodeAt(path);
    return node?.kind === 'array' ? node.items.length : 0;
  }

  /** Whether an error was reported at this path or below it. */
  hasErrorIn(...path: JsoncPath): boolean {
    const place = `${path.join('.')}.`;
    return this.#findings.all().some((one) => one.severity === 'error' && `${one.path}.`.startsWith(place));
  }

  /** Reports at this path, or at its nearest existing ancestor. */
  error(path: JsoncPath, message: string): void {
    this.#findings.error(this.#nearest(path), path.map(String), message);
  }

  warning(path: JsoncPath, message: string): void {
    this.#findings.warning(this.#nearest(path), path.map(String), message);
  }

  #nearest(path: JsoncPath): JsoncNode {
    for (let length = path.length; length > 0; length--) {
      const node = this.nodeAt(path.slice(0, length));
      if (node !== undefined) return node;
    }
    return this.#root;
  }
}
