/** Paths of the runtimes' binaries for this platform; undefined if there is none. */
import { existsSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const modules = fileURLToPath(new URL('node_modules/', import.meta.url));
const { platform, arch } = process;
const exe = platform === 'win32' ? '.exe' : '';
const isGlibc = platform === 'linux' && 'glibcVersionRuntime' in reported();

const denoPackage = `@deno/${platform}-${arch}${isGlibc ? '-glibc' : ''}`;
const bunPackage = `@oven/bun-${platform === 'win32' ? 'windows' : platform}-${arch === 'arm64' ? 'aarch64' : arch}`;
const workerdPackage = `@cloudflare/workerd-${platform === 'win32' ? 'windows' : platform}-${arch === 'x64' ? '64' : arch}`;

export const binaries = {
  deno: installed(`${denoPackage}/deno${exe}`),
  // Bun and workerd for Linux need glibc.
  bun: platform === 'linux' && !isGlibc ? undefined : installed(`${bunPackage}/bin/bun${exe}`),
  workerd: platform === 'linux' && !isGlibc ? undefined : installed(`${workerdPackage}/bin/workerd${exe}`),
};

function installed(file: string): string | undefined {
  return existsSync(modules + file) ? modules + file : undefined;
}

/** Node's report header, which names the C library. */
function reported(): object {
  const { header } = process.report.getReport() as { header: object }; // every report has a header
  return header;
}
