/** Starts the server of one trial: a module that the product runs as a command, or a child process that listens. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Reach, Transport } from './product.ts';
import { endGroup } from './program.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
export const mooring: string = join(here, '../../dist/cli/main.js');

export interface ServedLots extends AsyncDisposable {
  readonly reach: Reach;
}

interface Place {
  readonly transport: Transport;
  readonly project: string;
  readonly evidence: string;
}

export async function serveLots({ transport, project, evidence }: Place): Promise<ServedLots> {
  if (transport === 'stdio') {
    const module = join(project, 'lots.mjs');
    const from = JSON.stringify(pathToFileURL(join(here, 'server/lots.mjs')));
    writeFileSync(
      module,
      `import { lots } from ${from};\n\nexport const server = lots(${JSON.stringify(evidence)});\n`,
    );
    return {
      reach: { command: process.execPath, args: [mooring, 'run', module] },
      async [Symbol.asyncDispose]() {}, // the product ends the process that it started
    };
  }
  const child = spawn(process.execPath, [join(here, 'server/serve-http.mjs'), evidence], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const stop = (): void => endGroup(child.pid);
  process.once('exit', stop);
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string]; // it prints its URL
  return {
    reach: { url: transport === 'sse' ? url.replace(/\/mcp$/, '/sse') : url },
    async [Symbol.asyncDispose]() {
      process.off('exit', stop);
      stop();
    },
  };
}
