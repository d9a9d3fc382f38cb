/** Masks secrets in acts before they are written to the audit log. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import { MASK, maskSecrets, maskSecretsIn } from '../../model/secrets.ts';
import type { Act } from '../act/act.ts';
import { sha256 } from '../act/binding.ts';

/** Longer text is truncated; its hash allows comparison. */
const MAX_TEXT = 4_096;
const KEPT = 1_024;
const MAX_SCANNED = 65_536;
const CUT = /… \[\d+ characters, sha256 [0-9a-f]{64}\]$/;

/** Returns the act with secrets masked and long text truncated. */
export function maskAct(act: Act): Act {
  const meta = act.meta === undefined ? {} : { meta: maskedObject(act.meta) };
  return { ...act, name: maskText(act.name), arguments: maskedObject(act.arguments), ...meta };
}

const maskedObject = (value: JsonObject): JsonObject =>
  maskSecretsIn(value, { text: maskText, whole: true }) as JsonObject; // an object stays an object

/** Masks likely secrets, and truncates long text. */
export function maskText(text: string): string {
  if (text.length <= MAX_TEXT) return maskSecrets(text);
  return cut(maskSecrets(text.slice(0, MAX_SCANNED)), text);
}

/** Whether a recorded value is incomplete, so that no rule can be evaluated on it. */
export const isMaskedOrCut = (value: unknown): boolean =>
  typeof value === 'string' && (value.includes(MASK) || CUT.test(value));

/** Appends length and hash of the unmasked text. Drops the end of the scanned part, where a split secret may have escaped masking. */
function cut(masked: string, text: string): string {
  const kept = masked.slice(0, Math.min(KEPT, Math.max(0, masked.length - MAX_TEXT)));
  return `${kept}… [${text.length} characters, sha256 ${sha256(text)}]`;
}
