/** Validates the URL of an upstream. */

export function upstreamUrlFault(url: string): string | undefined {
  if (!URL.canParse(url)) return 'this URL cannot be parsed; correct it';
  const { username, password } = new URL(url);
  return username === '' && password === '' ? undefined : 'credentials do not belong in a URL; use "auth"';
}

/** Checks the URL before placeholders are filled: a variable must not decide which host the gateway connects to. */
export function upstreamTemplateFault(url: string): string | undefined {
  // Parsers skip any number of slashes before the host.
  const [origin = ''] = /^[^:/?#]*:?[/\\]*[^/\\?#]*/.exec(url) ?? [];
  return origin.includes('${')
    ? 'a placeholder can fill path and query, not scheme, host or port; write those out'
    : undefined;
}
