/** Replaces `${env:…}` and `${secret:…}` placeholders in the parsed file. */
import { messageOf } from '../../errors.ts';
import type { JsoncNode } from '../../files/jsonc.ts';
import { fillTemplate } from '../../host/config/template.ts';
import type { FileFindings } from './file-finding.ts';
import { upstreamTemplateFault } from './upstream-url-fault.ts';

/** Resolves a placeholder. Throws an `Error` with the reason if there is no value. */
export type FindNamed = (kind: 'env' | 'secret', name: string) => Promise<string>;

export interface FilledTree {
  readonly tree: JsoncNode;
  /** Nodes with a placeholder: true if it was resolved. */
  readonly filled: ReadonlyMap<JsoncNode, boolean>;
}

export async function fillTree(root: JsoncNode, findings: FileFindings, find: FindNamed): Promise<FilledTree> {
  const filled = new Map<JsoncNode, boolean>();
  const fill = async (node: JsoncNode, path: readonly string[]): Promise<JsoncNode> => {
    if (node.kind === 'array') {
      const items: JsoncNode[] = [];
      for (const [at, item] of node.items.entries()) items.push(await fill(item, [...path, String(at)]));
      return { ...node, items };
    }
    if (node.kind === 'object') {
      const members = [];
      for (const member of node.members)
        members.push({ ...member, value: await fill(member.value, [...path, member.key]) });
      return { ...node, members };
    }
    if (typeof node.value !== 'string' || !node.value.includes('${')) return node;
    const place = placeFault(node.value, path);
    if (place !== undefined) findings.error(node, path, place);
    const value = await fillText(node.value, find).catch((thrown: unknown) => {
      findings.error(node, path, messageOf(thrown));
      return undefined;
    });
    const done: JsoncNode = { ...node, value: value ?? node.value };
    filled.set(done, value !== undefined);
    return done;
  };
  return { tree: await fill(root, []), filled };
}

function fillText(text: string, find: FindNamed): Promise<string> {
  return fillTemplate(text, async (placeholder) => {
    const { kind, name } = placeholder;
    if (kind === 'secret') return find(kind, name);
    if (kind !== 'env')
      throw new Error(
        `\${${kind === 'input' ? 'input:' : ''}${name}} is not a placeholder of this file; use \${env:NAME} or \${secret:name}`,
      );
    return find(kind, name).catch((thrown: unknown) => {
      if (placeholder.otherwise !== undefined) return placeholder.otherwise;
      throw thrown;
    });
  });
}

function placeFault(text: string, path: readonly string[]): string | undefined {
  const isUpstreamUrl = path.length === 3 && path[0] === 'upstreams' && path[2] === 'url';
  return isUpstreamUrl ? upstreamTemplateFault(text) : undefined;
}
