/** A Node with `node:sqlite`: this one, or one from npm. */
import { existsSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const { platform, arch } = process;
const published = fileURLToPath(new URL(`node_modules/node-${platform}-${arch}/bin/node`, import.meta.url));

export function newerNode(): string {
  if (existsSync(published)) return published;
  if (process.getBuiltinModule('node:sqlite') !== undefined) return process.execPath;
  throw new Error(`No Node with node:sqlite for ${platform}-${arch}: run these tests with Node 24`);
}
