/** Reports the steps of the OAuth flow to the application, without secrets. */
import { displayUrl, printable } from '../../model/printable.ts';
import { isSecretName, MASK, maskSecrets } from '../../model/secrets.ts';
import { callHook } from '../../peer/call-hook.ts';

/** One step on the way to a token. */
export interface TraceStep {
  /** What was requested or decided, in a few words: `authorization server metadata`, `issuer`, `scopes`. */
  readonly step: string;
  /** The URL that was requested, without its query. */
  readonly of?: string;
  readonly outcome: 'asked' | 'accepted' | 'failed' | 'chosen';
  /** The result, and why it was accepted or rejected. Contains no secret. */
  readonly why: string;
}

/** Gets every step on the way to a token, without secrets. */
export type Trace = (step: TraceStep) => void;

/** Of a traced text. More of it is searched for secrets, so that cutting cannot hide the start of one. */
const MAX_LENGTH = 500;
const MAX_SEARCHED = 4 * MAX_LENGTH;

/** Calls the application's `trace`, and writes to standard error if `MOORING_TRACE` names `auth`. */
export function createTrace(own?: Trace): Trace {
  return (step) => {
    const clean = cleanStep(step);
    if (isTraced()) console.error(formatTraceStep(clean));
    // An error in the application's trace function must not end the sign-in.
    callHook(() => own?.(clean));
  };
}

/** `auth  token  asked  https://as.example/token: POST, status 200` */
export function formatTraceStep(step: TraceStep): string {
  const { step: what, of, outcome, why } = cleanStep(step);
  return `auth  ${what}  ${outcome}  ${of === undefined ? '' : `${of}: `}${why}`;
}

/** Read each time: a program can set it while it runs. */
function isTraced(): boolean {
  const wanted = typeof process === 'object' ? process.env?.['MOORING_TRACE'] : undefined;
  return wanted?.split(',').includes('auth') === true;
}

function cleanStep({ step, of, outcome, why }: TraceStep): TraceStep {
  const rest = { step: maskText(step), outcome, why: maskText(why) };
  return of === undefined ? rest : { ...rest, of: maskText(URL.canParse(of) ? displayUrl(new URL(of)) : of) };
}

/** Secrets of a sign-in, whose names are ordinary words elsewhere. */
const ofSignIn = /^(?:state|nonce|dpop)$/i;
const isSecret = (name: string): boolean => isSecretName(name) || ofSignIn.test(name);

/** The last line of defense: steps are written without secrets in the first place. */
function maskText(text: string): string {
  return printable(maskSecrets(text.slice(0, MAX_SEARCHED), isSecret))
    .replace(/\beyJ[\w-]{8,}(?:\.[\w-]*)*/g, MASK)
    .replace(/(?<![\w-])(?=[\w-]*\d)[\w-]{40,}/g, (run) => `${run.slice(0, 4)}…`)
    .slice(0, MAX_LENGTH);
}
