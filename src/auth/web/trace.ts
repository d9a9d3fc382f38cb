/** Traces the steps of the OAuth flow for the application and `MOORING_TRACE=auth`, without secrets. */
import { displayUrl, printable } from '../../model/printable.ts';
import { isSecretName, MASK, maskSecrets } from '../../model/secrets.ts';
import { callHook } from '../../peer/call-hook.ts';

/** One step on the way to a token. */
export interface TraceStep {
  /** What is requested or decided, in a few words: `authorization server metadata`, `issuer`, `scopes`. */
  readonly step: string;
  /** The URL that was requested, without its query. */
  readonly of?: string;
  readonly outcome: 'asked' | 'accepted' | 'failed' | 'chosen';
  /** The result, and why it was accepted or rejected. Contains no secret. */
  readonly why: string;
}

/** Gets every step on the way to a token, without secrets. */
export type Trace = (step: TraceStep) => void;

/** Maximum length of a traced text. */
const MAX_LENGTH = 500;
/** Secrets are masked in a longer prefix, so that truncation cannot leave the start of one unrecognized. */
const MAX_SEARCHED = 4 * MAX_LENGTH;

/** Calls the application's `trace`, and writes to standard error if `MOORING_TRACE` names `auth`. */
export function createTrace(own?: Trace): Trace {
  return (step) => {
    const clean = cleanStep(step);
    if (isTraced()) console.error(formatTraceStep(clean));
    // An exception in the application's trace function must not fail the sign-in.
    callHook(() => own?.(clean));
  };
}

/** `auth  token  asked  https://as.example/token: POST, status 200` */
export function formatTraceStep(step: TraceStep): string {
  const { step: what, of, outcome, why } = cleanStep(step);
  return `auth  ${what}  ${outcome}  ${of === undefined ? '' : `${of}: `}${why}`;
}

/** Reads the variable each time, because a program can set it while it runs. */
function isTraced(): boolean {
  const wanted = typeof process === 'object' ? process.env?.['MOORING_TRACE'] : undefined;
  return wanted?.split(',').includes('auth') === true;
}

function cleanStep({ step, of, outcome, why }: TraceStep): TraceStep {
  const rest = { step: maskText(step), outcome, why: maskText(why) };
  return of === undefined ? rest : { ...rest, of: maskText(URL.canParse(of) ? displayUrl(new URL(of)) : of) };
}

/** Parameters that are secret in a sign-in, but whose names are ordinary words elsewhere. */
const signInSecret = /^(?:state|nonce|dpop)$/i;
const isSecret = (name: string): boolean => isSecretName(name) || signInSecret.test(name);

/** Defense in depth: callers already leave secrets out of their steps. */
function maskText(text: string): string {
  return printable(maskSecrets(text.slice(0, MAX_SEARCHED), isSecret))
    .replace(/\beyJ[\w-]{8,}(?:\.[\w-]*)*/g, MASK)
    .replace(/(?<![\w-])(?=[\w-]*\d)[\w-]{40,}/g, (run) => `${run.slice(0, 4)}…`)
    .slice(0, MAX_LENGTH);
}
