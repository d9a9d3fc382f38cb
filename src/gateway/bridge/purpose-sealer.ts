/** Seals text with a key of its own for each purpose: what was sealed for one use never opens as another. */
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { badDefinition } from '../../errors.ts';
import { type NodeSealing, nodeSealing } from '../../revisions/asks/aes-gcm.ts';

/** What sealed text is for: states of calls, records of nodes, envelopes between nodes. */
export type SealingPurpose = 'state' | 'record' | 'peer';

const KEY_BYTES = 32;

/** The first key seals; all of them open, so that keys can be rotated. */
export function purposeSealer(keys: readonly Uint8Array[], purpose: SealingPurpose): NodeSealing {
  if (keys.length === 0 || keys.some((key) => key.length !== KEY_BYTES))
    throw badDefinition(`The keys for purpose "${purpose}"`, `must be ${KEY_BYTES} bytes each, at least one`);
  const derived = keys.map((key) => new Uint8Array(hkdfSync('sha256', key, '', `mooring ${purpose} v1`, KEY_BYTES)));
  const { seal, open } = nodeSealing(derived, { createCipheriv, createDecipheriv, Buffer });
  return {
    seal: (text, bound) => seal(text, `${purpose} ${bound}`),
    open: (sealed, bound) => open(sealed, `${purpose} ${bound}`),
  };
}
