/** What is known of a part before anything is done with it. */
import type { Act, ActKind } from '../act.ts';
import { claimsOf } from '../claims.ts';
import type { Judgement } from '../lock/lock.ts';
import type { HostCatalogue } from './catalogue.ts';
import type { Part } from './part.ts';

export type PartFacts = Pick<Act, 'kind' | 'server' | 'name' | 'claimed' | 'openWorld' | 'definition' | 'standing'>;

/** A template is read as the resource that it stands for. */
const kinds: Readonly<Record<Part['kind'], ActKind>> = {
  tool: 'tool',
  prompt: 'prompt',
  resource: 'resource',
  template: 'resource',
};

export function factsOf(part: Part, catalogue: HostCatalogue): PartFacts {
  const { server, key: name, kind } = part;
  const claims = isTool(part)
    ? claimsOf(part.definition.annotations)
    : ({ claimed: 'read', openWorld: false } as const);
  const judged = judge(part, catalogue);
  const { definition, standing } = judged ?? {};
  return { kind: kinds[kind], server, name, ...claims, ...(judged === undefined ? {} : { definition, standing }) };
}

/** Resources are content: nobody pins them. */
export function judge(part: Part, catalogue: HostCatalogue): Judgement | undefined {
  const { kind } = part;
  return kind === 'resource' ? undefined : catalogue.lock.judge({ ...part, kind }, catalogue.othersOf(part.server));
}

const isTool = (part: Part): part is Part<'tool'> => part.kind === 'tool';
