/** Reads the architecture page, which tests compare with the source. */
import { textOf } from './source.ts';

/** The text under a heading. */
export function architectureSection(heading: string): string {
  const [, text = ''] = textOf('docs/explain/architecture.md').split(`\n## ${heading}\n`);
  return text.split('\n## ')[0] ?? '';
}

interface PicturedName {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

/** The rooms or layers in the picture of the page, with their positions. */
export function picturedNames(kind: 'room' | 'layer'): readonly PicturedName[] {
  const texts = textOf('docs/explain/architecture.svg').matchAll(
    /<text class="t (\w+)" x="([\d.]+)" y="(\d+)">([^<]+)</g,
  );
  return [...texts]
    .filter(([, of]) => of === kind)
    .map(([, , x, y, name = '']) => ({ name, x: Number(x), y: Number(y) }));
}
