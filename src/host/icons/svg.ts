/** Validates an SVG drawing with an allowlist: shapes and colors only; no scripts, styles, links or external references. */

const MAX_BYTES = 65_536;
const MAX_DEPTH = 32;
const MAX_ELEMENTS = 2_000;

const elements: ReadonlySet<string> = new Set(
  'svg g defs title desc path rect circle ellipse line polyline polygon linearGradient radialGradient stop clipPath mask'.split(
    ' ',
  ),
);
const attributes: ReadonlySet<string> = new Set(
  (
    'id version viewBox preserveAspectRatio width height x y x1 y1 x2 y2 cx cy r rx ry fx fy d points pathLength transform offset ' +
    'fill fill-rule fill-opacity stroke stroke-width stroke-linecap stroke-linejoin stroke-miterlimit stroke-dasharray stroke-dashoffset ' +
    'stroke-opacity opacity color clip-path clip-rule mask stop-color stop-opacity gradientUnits gradientTransform spreadMethod ' +
    'clipPathUnits maskUnits maskContentUnits vector-effect shape-rendering role aria-hidden aria-label focusable'
  ).split(' '),
);

const prolog =
  /^\uFEFF?\s*(?:<\?xml version="1\.0"(?: encoding="(?:utf|UTF)-8")?(?: standalone="(?:yes|no)")?\s*\?>\s*)?/;
/** Matches text, a comment, or a tag with its attributes. */
const token =
  /(?:[^<&]|&(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});)+|<!--(?:(?!--)[\s\S])*-->|<(?<closing>\/?)(?<name>[A-Za-z][\w:.-]*)(?<list>(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(?<alone>\/?)>/g;
const attribute = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** The reason to refuse a drawing; undefined if it is safe. Refuses everything that the allowlists do not contain. */
export function svgFault(bytes: Uint8Array): string | undefined {
  if (bytes.length > MAX_BYTES) return `a drawing of more than ${MAX_BYTES} bytes`;
  let source: string;
  try {
    source = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return 'a drawing that is not UTF-8';
  }
  return drawingFault(source.replace(prolog, ''));
}

function drawingFault(source: string): string | undefined {
  const open: string[] = [];
  let [at, count] = [0, 0];
  for (const { 0: whole, index, groups } of source.matchAll(token)) {
    if (index !== at) break;
    at += whole.length;
    const { name, closing, list = '', alone } = groups ?? {};
    if (name === undefined) continue;
    if (++count > MAX_ELEMENTS * 2) return `a drawing with more than ${MAX_ELEMENTS} elements`;
    if (count > 1 && open.length === 0) return 'something after the end of the drawing';
    const matches = closing === '' || open.pop() === name;
    const why = closing === '' ? elementFault(name, list, open.length) : undefined;
    if (!matches || why !== undefined) return why ?? 'a drawing whose elements do not match';
    if (closing === '' && alone === '') open.push(name);
  }
  if (at < source.length) return 'a drawing with content other than shapes';
  return count > 0 && open.length === 0 ? undefined : 'a drawing that does not end';
}

function elementFault(name: string, list: string, depth: number): string | undefined {
  if (!elements.has(name) || (depth === 0) !== (name === 'svg'))
    return `a drawing with the element ${JSON.stringify(name.slice(0, 40))}`;
  if (depth >= MAX_DEPTH) return `a drawing with more than ${MAX_DEPTH} elements within each other`;
  const seen = new Set<string>();
  for (const [, key = '', double, single] of list.matchAll(attribute)) {
    if (seen.has(key) || !isHarmless(key, double ?? single ?? ''))
      return `a drawing with the attribute ${JSON.stringify(key.slice(0, 40))}`;
    seen.add(key);
  }
  return depth > 0 || seen.has('xmlns') ? undefined : 'a drawing that does not say it is SVG';
}

/** Allows `url(#…)` references within the drawing. Refuses escapes and colons, which numbers and colors do not need. */
function isHarmless(key: string, value: string): boolean {
  if (key === 'xmlns') return value === 'http://www.w3.org/2000/svg';
  if (!attributes.has(key) || /[\\&:]/.test(value)) return false;
  return !/url\s*\(/i.test(value.replace(/^url\(#[\w.-]+\)$/, ''));
}
