/** Secrets do not go into an audit. What looks like one is replaced, so it is known that there was something. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import { MASK, maskSecrets, maskSecretsIn } from '../../model/secrets.ts';
import type { Act } from '../act/act.ts';
import { sha256 } from '../act/binding.ts';

/** Longer text is cut; its hash says whether it was the same. */
const MAX_TEXT = 4_096;
const KEPT = 1_024;
const MAX_SCANNED = 65_536;
const CUT = /… \[\d+ characters, sha256 [0-9a-f]{64}\]$/;

/** The act as it may be written down. */
export function maskAct(act: Act): Act {
  const meta = act.meta === undefined ? {} : { meta: maskedObject(act.meta) };
  return { ...act, name: maskText(act.name), arguments: maskedObject(act.arguments), ...meta };
}

const maskedObject = (value: JsonObject): JsonObject =>
  maskSecretsIn(value, { text: maskText, whole: true }) as JsonObject; // an object stays one

/** Text without what looks like a secret; long text is cut. */
export function maskText(text: string): string {
  if (text.length <= MAX_TEXT) return maskSecrets(text);
  return cut(maskSecrets(text.slice(0, MAX_SCANNED)), text);
}

/** Whether something of a value was left out, so that no rule can decide by it any more. */
export const isMaskedOrCut = (value: unknown): boolean =>
  typeof value === 'string' && (value.includes(MASK) || CUT.test(value));

/** The hash is of the text before masking. A secret at the end of what was scanned may be half a secret, and is left out. */
function cut(masked: string, text: string): string {
  const kept = masked.slice(0, Math.min(KEPT, Math.max(0, masked.length - MAX_TEXT)));
  return `${kept}… [${text.length} characters, sha256 ${sha256(text)}]`;
}
