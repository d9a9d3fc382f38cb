/** What is known of a part before anything is done with it. */
import type { Act, ActKind } from '../act/act.ts';
import { claimsOf } from '../act/claims.ts';
import type { DefinitionCheck } from '../lock/lock.ts';
import type { HostCatalogue } from './catalogue.ts';
import type { CatalogueItem } from './item.ts';

export type PartFacts = Pick<Act, 'kind' | 'server' | 'name' | 'claimed' | 'openWorld' | 'definition' | 'status'>;

/** A template is read as the resource that it stands for. */
const kinds: Readonly<Record<CatalogueItem['kind'], ActKind>> = {
  tool: 'tool',
  prompt: 'prompt',
  resource: 'resource',
  template: 'resource',
};

export function factsOf(part: CatalogueItem, catalogue: HostCatalogue): PartFacts {
  const { server, key: name, kind } = part;
  const claims = isTool(part)
    ? claimsOf(part.definition.annotations)
    : ({ claimed: 'read', openWorld: false } as const);
  const judged = judge(part, catalogue);
  const { definition, status } = judged ?? {};
  return { kind: kinds[kind], server, name, ...claims, ...(judged === undefined ? {} : { definition, status }) };
}

/** Resources are content: nobody pins them. */
export function judge(part: CatalogueItem, catalogue: HostCatalogue): DefinitionCheck | undefined {
  const { kind } = part;
  return kind === 'resource' ? undefined : catalogue.lock.check({ ...part, kind }, catalogue.othersOf(part.server));
}

const isTool = (part: CatalogueItem): part is CatalogueItem<'tool'> => part.kind === 'tool';
