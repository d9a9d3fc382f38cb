/** What is known of a part before anything is done with it. */
import type { Act, ActKind } from '../act/act.ts';
import { claimsOf } from '../act/claims.ts';
import type { Judgement } from '../lock/lock.ts';
import type { HostCatalogue } from './catalogue.ts';
import type { CatalogueItem } from './item.ts';

export type PartFacts = Pick<Act, 'kind' | 'server' | 'name' | 'claimed' | 'openWorld' | 'definition' | 'standing'>;

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
  const { definition, standing } = judged ?? {};
  return { kind: kinds[kind], server, name, ...claims, ...(judged === undefined ? {} : { definition, standing }) };
}

/** Resources are content: nobody pins them. */
export function judge(part: CatalogueItem, catalogue: HostCatalogue): Judgement | undefined {
  const { kind } = part;
  return kind === 'resource' ? undefined : catalogue.lock.judge({ ...part, kind }, catalogue.othersOf(part.server));
}

const isTool = (part: CatalogueItem): part is CatalogueItem<'tool'> => part.kind === 'tool';
