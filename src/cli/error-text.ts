/** Rewords library errors for the command line: names options (`--timeout`) instead of settings (`timeoutMs`). */

import { execPath } from 'node:process';
import { McpError } from '../errors.ts';
import { parseChallenges } from '../model/challenge.ts';
import { shellWord } from '../model/shell-word.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';

/** The stack for a bug of mooring; for all other errors, the message with its advice. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (exitCodeOf(error) === exitCodes.bug && !(error instanceof McpError)) return error.stack ?? error.message;
  const cause = error instanceof McpError && error.cause instanceof McpError ? `\n${textWithOptions(error.cause)}` : '';
  return textWithOptions(error) + (cause === '' && isSilentExit(error) ? SILENT : cause);
}

const SILENT = ' and wrote nothing to standard error. Run it in a terminal to see why, or see `mooring doctor`';
/** A quote of stderr would follow the code. A signal is a reason itself. */
const isSilentExit = (error: Error): boolean =>
  error instanceof McpError && error.code === 'MCP_SERVER_EXITED' && /\(code \d+\)$/.test(error.message);

const CREDENTIALS = 'pass credentials as "headers" or "auth"';
const signInWith = (options: string): string =>
  `sign in with \`mooring login <url>${options}\`, or pass --header "Authorization: Bearer …"`;

type Rewording = readonly [setting: RegExp, option: string];

/** Texts of the library, and their replacements. `<url>` becomes the URL of the error. */
const rewordings: readonly Rewording[] = [
  [new RegExp(CREDENTIALS), signInWith('')],
  [
    /Register one and pass it as "client", or pass "clientMetadataUrl"/,
    'Register one there, run `mooring login <url>` in a terminal, and enter its client ID',
  ],
  [
    /\. If \S+ knows it too, pass that as the "issuer" of the client/,
    '. Run `mooring logout <url>`, then sign in again',
  ],
  [
    /tokens and headers are for the URL of a server; give a command its credentials as "env"/,
    'a command gets credentials with --env',
  ],
  [/\. To allow it, set dangerouslyAllowPrivateAddresses/, '. The command line does not connect to it'],
  [/ \((?:connectTimeoutMs|probeTimeoutMs|timeoutMs is [^)]*)\)/, ' (wait longer with --timeout <seconds>)'],
  [/ within (\d+)000 ms \(timeoutMs\)/, ' within $1 s'],
  [
    / \((?:maxAnswerBytes|maxLineBytes|maxUnreadBytes|maxInFlight|(?:limits\.)?maxRounds)\)/,
    ' (a fixed limit of the command line)',
  ],
  [
    / cannot be reached: (?:fetch failed: )?connect ECONNREFUSED (\S+)$/,
    ' cannot be reached: no server listens at $1. Start it, or check the URL',
  ],
  [
    / cannot be reached: (?:fetch failed: )?getaddrinfo ENOTFOUND (\S+)$/,
    ' cannot be reached: the name $1 has no address. Check the URL',
  ],
  [/; create it or change cwd$/, '; create it, or change --cwd'],
  [/\. Raise limits\.max(?:Pages|Items)/, ', the limit of the command line'],
  [
    /(?<=\(sampling\S*\)\. )In Mooring, pass "sample" to connect\(\), or "model" to createHost\(\)/,
    'Use `mooring chat <target> --model <model>`, which has a model for it',
  ],
  [
    /(?<=\(elicitation\S*\)\. )In Mooring, pass "elicit" to connect\(\), or "questions" to createHost\(\)/,
    'Use `mooring call`, `read`, `prompt` or `chat`, which ask you',
  ],
  [/\. In Mooring, pass "roots" to connect\(\) or createHost\(\)/, '. The command line shares no folders'],
];

function textWithOptions(error: Error): string {
  const { url } = (error instanceof McpError ? error.details : {}) as { readonly url?: unknown };
  const named = typeof url === 'string' ? url : '<target>';
  const text = rewordings.reduce((all, [setting, option]) => all.replace(setting, option), textOf(error));
  return withoutNode(text).replaceAll('<url>', () => named);
}

/** Modules are started with this Node. Its path says nothing about the server. */
function withoutNode(text: string): string {
  const named = text.startsWith(`${execPath} wrote `) ? `The server process${text.slice(execPath.length)}` : text;
  return named.replaceAll(`server process ${execPath} `, 'server process ');
}

function textOf(error: Error): string {
  if (!(error instanceof McpError)) return error.message;
  if (error.code === 'MCP_UNAUTHORIZED') return unauthorizedText(error as McpError<'MCP_UNAUTHORIZED'>); // by its code
  return error.code === 'MCP_SERVER_EXITED' ? exitedText(error as McpError<'MCP_SERVER_EXITED'>) : error.message; // by its code
}

/** Shows the `error_description` of a challenge, without the rest of its header syntax. */
function unauthorizedText({ details }: McpError<'MCP_UNAUTHORIZED'>): string {
  const { url, method, status, body, advice } = details;
  // The error truncates a long challenge; the parser skips a value that was cut off.
  const challenges = parseChallenges(String(details.challenge));
  const param = (name: string): string | undefined =>
    challenges.map(({ params }) => params.get(name)).find((value) => value !== undefined);
  const missing = param('error') === 'insufficient_scope' ? param('scope') : undefined;
  const description = param('error_description');
  const said = description === undefined ? `)${body}` : `: ${description})`;
  // Basic authentication does not accept the token that `mooring login` would get.
  const isBasic = challenges[0]?.scheme === 'basic';
  const scopes = missing?.split(' ').map((scope) => ` --scope ${shellWord(scope)}`) ?? [];
  const fix = isBasic
    ? 'pass --header "Authorization: Basic …"'
    : String(advice).replace(CREDENTIALS, () => signInWith(scopes.join('')));
  return `${url} rejected ${method} for lack of authorization (status ${status}${said}; ${fix}`;
}

/** Shows the stderr of an ended process as an indented block, without the `error` prefix of a mooring process. */
function exitedText({ message, details: { how, stderr } }: McpError<'MCP_SERVER_EXITED'>): string {
  const lines = [...String(stderr).matchAll(/^ {2}\| (.*)$/gm)].map(([, line = '']) => line.replace(/^error /, ''));
  return lines.length === 0
    ? message
    : `The server process ended (${how}):\n${lines.map((line) => `  ${line}`).join('\n')}`;
}
