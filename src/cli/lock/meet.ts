/** What a server offers right now, as a lock sees it. */
import type { Client } from '../../client/index.ts';
import type { PartKind } from '../../host/catalogue/part.ts';
import { readPart } from '../../host/catalogue/read-part.ts';
import type { Contact } from '../../host/lock/lock.ts';
import { instructionsPart, type Pinnable } from '../../host/lock/pinnable.ts';
import { legible } from '../../host/text/unseen.ts';
import { type Opener, openReached, reachTarget } from '../target/open.ts';
import type { Target } from '../target/target.ts';

export interface Met {
  readonly label: string;
  /** The command or the address. */
  readonly address: string;
  /** One for each kind. */
  readonly contacts: readonly Contact[];
  /** Parts that no host would show, and why. */
  readonly refused: readonly string[];
}

/** `labelled` finds the name of the server in the lock by its address. */
export async function meet(target: Target, by: Opener, labelled: (address: string) => string): Promise<Met> {
  const reached = await reachTarget(target, by);
  const { address } = reached;
  const label = labelled(address);
  await using client = await openReached(reached);
  const { info, instructions } = client.server;
  const about = {
    server: label,
    address,
    claims: legible(info === undefined ? 'nothing' : `${info.name} ${info.version}`),
  };
  const refused: string[] = [];
  const contacts: Contact[] = [];
  for (const kind of ['tool', 'prompt', 'template'] as const) {
    const parts = (await listed(client, kind, label)).flatMap((one) => {
      if (!('refused' in one)) return [one];
      refused.push(one.refused);
      return [];
    });
    contacts.push({ ...about, kind, parts });
  }
  if (instructions !== undefined)
    contacts.push({ ...about, kind: 'instructions', parts: [instructionsPart(label, instructions)] });
  return { label, address, contacts, refused };
}

type Read = Pinnable | { readonly refused: string };

async function listed(client: Client, kind: Exclude<PartKind, 'resource'>, label: string): Promise<readonly Read[]> {
  const { capabilities } = client.server;
  if (kind === 'tool')
    return capabilities.tools === undefined
      ? []
      : (await client.list('tools').all()).map((one) => readPart(kind, label, one));
  if (kind === 'prompt')
    return capabilities.prompts === undefined
      ? []
      : (await client.list('prompts').all()).map((one) => readPart(kind, label, one));
  return capabilities.resources === undefined
    ? []
    : (await client.list('templates').all()).map((one) => readPart(kind, label, one));
}
