/** Derives a default name for a server, from its package, file or host. */
import { isLoopbackHost } from '../../model/loopback.ts';

const launchers = /^(?:npx|bunx|uvx|pnpx|pipx|node|bun|deno|tsx|python[\d.]*|npm|pnpm|yarn|uv|docker)(?:\.\w+)?$/i;
const verbs: ReadonlySet<string> = new Set(['run', 'exec', 'dlx', 'x', 'start', 'tool']);
/** Generic file and folder names; the folder above is more specific. */
const nameless = /^(?:index|server|main|dist|src|build|lib|app|\.+)$/;

/** `words` are a URL, a module, or a command with its arguments. */
export function nameFor(words: readonly string[]): string {
  const [first = ''] = words;
  const given = URL.canParse(first) && /^https?:/i.test(first) ? hostName(first) : programName(words);
  return given.replace(/^(?:mcp-)?server-(?=.)|-?mcp(?:-server)?$/gi, '').replace(/[^\w.-]+/g, '-') || 'server';
}

/** `mcp.example.com` is example. */
function hostName(url: string): string {
  const { hostname } = new URL(url);
  // An IP address: prefixed, because names begin with a letter.
  if (/^[\d.]+$|:/.test(hostname)) return isLoopbackHost(hostname) ? 'local' : `host-${hostname}`;
  const parts = hostname.split('.').filter((part) => !/^(?:www|mcp|api)$/.test(part));
  return (parts.length > 1 ? parts.at(-2) : parts[0]) ?? '';
}

/** The first word that is no launcher, no option and no verb: a package, or a file. */
function programName(words: readonly string[]): string {
  const word =
    words.find((one) => !one.startsWith('-') && !verbs.has(one) && !launchers.test(partsOf(one).at(-1) ?? '')) ??
    words[0] ??
    '';
  return partsOf(word).findLast((part) => !nameless.test(part)) ?? '';
}

/** `@scope/server-files@1.2.3` is @scope and server-files; `./shop/index.ts` is shop and index. */
const partsOf = (word: string): string[] =>
  word.split(/[/\\]/).map((part) => part.replace(/(?<=.)@.*$/, '').replace(/\.(?:[cm]?[jt]sx?|py|exe)$/i, ''));
