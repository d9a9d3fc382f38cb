/** The page that describes the architecture, which tests hold against the source. */
import { textOf } from './source.ts';

/** The text below a heading, up to the next one. */
export function architectureSection(heading: string): string {
  const [, text = ''] = textOf('docs/explain/architecture.md').split(`\n## ${heading}\n`);
  return text.split('\n## ')[0] ?? '';
}
