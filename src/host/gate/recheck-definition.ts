/** After somebody was asked: whether what they agreed to is still what there is. People take their time, and servers use it. */
import { McpError } from '../../errors.ts';
import type { PassOptions } from './gate.ts';
import { type GateDecision, toDenied } from './policy-evaluator.ts';

/** The ruling, or a refusal where the definition or the server has changed since. Never rejects. */
export async function recheckDefinition(ruling: GateDecision, { current }: PassOptions): Promise<GateDecision> {
  if (current === undefined || !ruling.allowed || ruling.consent === undefined) return ruling;
  const why = await changeSince(ruling, current);
  return why === undefined ? ruling : toDenied(ruling, why);
}

async function changeSince(
  { act }: GateDecision,
  current: NonNullable<PassOptions['current']>,
): Promise<string | undefined> {
  try {
    const now = await current();
    if (now === undefined) return 'the server no longer offers it; it vanished while the user was asked';
    if (now.definition !== act.definition) return 'its definition changed while the user was asked; look at it again';
    if (now.fingerprint !== act.fingerprint) return 'another server answers to its label since the user was asked';
    return undefined;
  } catch (error) {
    const code = error instanceof McpError ? ` (${error.code})` : '';
    return `whether it changed while the user was asked could not be found out${code}`;
  }
}
