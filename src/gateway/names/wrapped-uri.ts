/** Adds the upstream's label to a URI: `shop+file:///a`, which is a URI again. Pages keep their scheme: `ui://shop+orders/a`. */

const PAGE = 'ui://';

export function wrapUri(label: string, uri: string): string {
  return uri.startsWith(PAGE) ? `${PAGE}${label}+${uri.slice(PAGE.length)}` : `${label}+${uri}`;
}

export interface UnwrappedUri {
  readonly label: string;
  readonly uri: string;
}

/** Splits at the first plus sign, if an upstream's label precedes it. Schemes are case-insensitive. */
export function unwrapUri(uri: string, hasLabel: (label: string) => boolean): UnwrappedUri | undefined {
  const isPage = uri.slice(0, PAGE.length).toLowerCase() === PAGE;
  const rest = isPage ? uri.slice(PAGE.length) : uri;
  const plus = rest.indexOf('+');
  const label = rest.slice(0, plus).toLowerCase();
  if (plus <= 0 || !hasLabel(label)) return undefined;
  const own = rest.slice(plus + 1);
  return { label, uri: isPage ? PAGE + own : own };
}
