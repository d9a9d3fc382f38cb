/** Selects the format of a configuration file by its extension: JSON with comments, TOML or YAML. */
import { parseJsonc } from '../../files/jsonc.ts';
import { removeAt, setAt } from '../../files/jsonc-edit.ts';
import type { ConfigFormat } from './config-format.ts';

const jsoncFormat: ConfigFormat = { parse: parseJsonc, setAt, removeAt, empty: '{}\n' };

/** Loads the TOML and YAML editors on demand. */
export async function formatOf(file: string): Promise<ConfigFormat> {
  if (/\.toml$/i.test(file)) return (await import('./toml-format.ts')).tomlFormat;
  return isYaml(file) ? (await import('./yaml-format.ts')).yamlFormat : jsoncFormat;
}

export const isYaml = (file: string): boolean => /\.ya?ml$/i.test(file);
