/** How a configuration file refers to a variable of the environment: applications spell it differently, and some not at all. */
import type { ConfigPlace } from '../target/config-places.ts';

/** They take every value as it is written. */
const literal: ReadonlySet<string> = new Set(['claude-desktop', 'zed']);

export type Refer = (variable: string, otherwise?: string) => string;

/** As the readers of that file spell it; we read both. */
export function referenceIn(file: string): Refer {
  // Claude Code's files, which others have taken over.
  const bare = /[/\\]\.(?:mcp|claude)\.json$/.test(file);
  return (variable, otherwise) =>
    `\${${bare ? '' : 'env:'}${variable}${otherwise === undefined ? '' : `:-${otherwise}`}}`;
}

export const looksUpReferences = ({ app }: Pick<ConfigPlace, 'app'>): boolean => !literal.has(app);

/** A template with its variables spelled as in another file. */
export const respelled = (template: string, refer: Refer): string =>
  template.replace(/\$\{(?:env:(\w+)|([A-Z_][A-Z\d_]*))(?::-([^{}]*))?\}/g, (_, marked, bare, otherwise) =>
    refer(marked ?? bare, otherwise),
  );
