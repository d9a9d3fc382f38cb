/** The page that describes the architecture, which tests hold against the source. */
import { textOf } from './source.ts';

/** The text below a heading, up to the next one. */
export function architectureSection(heading: string): string {
  const [, text = ''] = textOf('docs/explain/architecture.md').split(`\n## ${heading}\n`);
  return text.split('\n## ')[0] ?? '';
}

interface PicturedName {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

/** The rooms or layers in the picture of that page, and where they stand. */
export function picturedNames(kind: 'room' | 'layer'): readonly PicturedName[] {
  const texts = textOf('docs/explain/architecture.svg').matchAll(
    /<text class="t (\w+)" x="([\d.]+)" y="(\d+)">([^<]+)</g,
  );
  return [...texts]
    .filter(([, of]) => of === kind)
    .map(([, , x, y, name = '']) => ({ name, x: Number(x), y: Number(y) }));
}
