/** Derives one encryption key per purpose, so that text sealed for one use cannot be opened as another. */
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { badDefinition } from '../../errors.ts';
import { type NodeSealing, nodeSealing } from '../../revisions/asks/aes-gcm.ts';

/** `state`: requestState of callers. `record`: the node directory. `peer`: messages between nodes. */
export type SealingPurpose = 'state' | 'record' | 'peer';

const KEY_BYTES = 32;

/** The first key seals and all of them open, which allows rotation. */
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
