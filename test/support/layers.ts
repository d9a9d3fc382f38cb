/** Checks layered folders: each layer imports only layers before it. */
import { importsOf, sourceFiles } from './source.ts';

export interface Layering {
  /** The folder that contains the layers. */
  readonly root: string;
  /** From the bottom up. */
  readonly layers: readonly string[];
  /** Files of the root that can import all layers; no layer imports them. */
  readonly top: (file: string) => boolean;
  /** Files of the root that all layers can import. */
  readonly shared?: (file: string) => boolean;
}

/** Violations: files in no layer, empty layers, and imports in the wrong direction. */
export function layerFaults({ root, layers, top, shared = () => false }: Layering): string[] {
  const layerOf = (file: string): string | undefined => layers.find((layer) => file.startsWith(`${root}/${layer}/`));
  const files = sourceFiles().filter((file) => file.startsWith(`${root}/`) && !top(file) && !shared(file));
  const homeless = files.filter((file) => layerOf(file) === undefined).map((file) => `${file} is in no layer`);
  const empty = layers.filter((layer) => !files.some((file) => layerOf(file) === layer));
  const upward = files.flatMap((file) =>
    importsOf(file)
      .filter(({ to }) => to.startsWith(`${root}/`) && !shared(to) && rankOf(to) > rankOf(file))
      .map(({ to }) => `${file} imports ${to}`),
  );
  function rankOf(file: string): number {
    const layer = layerOf(file);
    return layer === undefined ? layers.length : layers.indexOf(layer);
  }
  return [...homeless, ...empty.map((layer) => `${root}/${layer} has no files`), ...upward];
}
