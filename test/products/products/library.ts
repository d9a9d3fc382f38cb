/** Drives a library with a program in its packages folder, which prints the last text of its agent. */
import { join } from 'node:path';
import type { Shown, Trial } from '../product.ts';

export async function driveLibrary({ transport, reach, packages, model, run }: Trial): Promise<Shown> {
  const env = { OPENAI_API_KEY: 'scripted', OPENAI_BASE_URL: `${model}/v1` };
  const settings = JSON.stringify({ transport, reach, model });
  const { stdout } = await run(process.execPath, [join(packages, 'drive.mjs'), settings], { env });
  return { output: stdout };
}
