/** The installed version of a peer. */
import { readFileSync } from 'node:fs';

export function versionOf(peer: string): string {
  const manifest = readFileSync(new URL(`node_modules/${peer}/package.json`, import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version; // every package has one
}
