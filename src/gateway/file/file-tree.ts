/** Looks things up in the tree of a file, mistaken or not, and reports what is found there. */
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

  /** Undefined for what is not a text. */
  textAt(...path: JsoncPath): string | undefined {
    const node = this.nodeAt(path);
    return node?.kind === 'value' && typeof node.value === 'string' ? node.value : undefined;
  }

  /** One text, or those of a list. */
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

  /** Whether an error was reported there or below. */
  hasErrorIn(...path: JsoncPath): boolean {
    const place = `${path.join('.')}.`;
    return this.#findings.all().some((one) => one.severity === 'error' && `${one.path}.`.startsWith(place));
  }

  /** At the nearest place on the way that is there. */
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
