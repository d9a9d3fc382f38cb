/** What happened on the way to a token, told step by step to whoever wants to know, with nothing secret in it. */
import { displayUrl, printable } from '../../model/printable.ts';
import { isSecretName, MASK, maskSecrets } from '../../model/secrets.ts';

/** One step on the way to a token. */
export interface TraceStep {
  /** What was asked or decided, in a few words: `authorization server metadata`, `issuer`, `scopes`. */
  readonly step: string;
  /** Whom, where somebody was asked: a URL without its query. */
  readonly of?: string;
  readonly outcome: 'asked' | 'accepted' | 'refused' | 'chosen';
  /** What came, and why it was taken or not. Holds no secret. */
  readonly why: string;
}

/** Told of every step on the way to a token, without secrets. */
export type Trace = (step: TraceStep) => void;

/** Of what is told, and of what is looked through for secrets: one must not escape by being cut. */
const MAX_LENGTH = 500;
const MAX_SEARCHED = 4 * MAX_LENGTH;

/** Tells the application, if it listens, and standard error where `MOORING_TRACE` names `auth`. Nothing it tells holds a secret. */
export function createTrace(own?: Trace): Trace {
  return (step) => {
    const told = cleanStep(step);
    if (isTraced()) console.error(formatTraceStep(told));
    try {
      own?.(told);
    } catch {
      // Whoever watches a sign-in does not decide how it ends.
    }
  };
}

/** `auth  token  asked  https://as.example/token: POST, status 200` */
export function formatTraceStep(step: TraceStep): string {
  const { step: what, of, outcome, why } = cleanStep(step);
  return `auth  ${what}  ${outcome}  ${of === undefined ? '' : `${of}: `}${why}`;
}

/** Looked at each time: a program may set it while it runs. */
function isTraced(): boolean {
  const wanted = typeof process === 'object' ? process.env?.['MOORING_TRACE'] : undefined;
  return wanted?.split(',').includes('auth') === true;
}

function cleanStep({ step, of, outcome, why }: TraceStep): TraceStep {
  const rest = { step: maskText(step), outcome, why: maskText(why) };
  return of === undefined ? rest : { ...rest, of: maskText(URL.canParse(of) ? displayUrl(new URL(of)) : of) };
}

/** Values of the sign-in itself, which elsewhere are ordinary words. */
const ofSignIn = /^(?:state|nonce|dpop)$/i;
const isSecret = (name: string): boolean => isSecretName(name) || ofSignIn.test(name);

/** The last line of defense: a step is filled in without secrets to begin with. */
function maskText(text: string): string {
  return printable(maskSecrets(text.slice(0, MAX_SEARCHED), isSecret))
    .replace(/\beyJ[\w-]{8,}(?:\.[\w-]*)*/g, MASK)
    .replace(/(?<![\w-])(?=[\w-]*\d)[\w-]{40,}/g, (run) => `${run.slice(0, 4)}…`)
    .slice(0, MAX_LENGTH);
}
