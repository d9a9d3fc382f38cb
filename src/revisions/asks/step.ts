/** One run of a step (`ctx.once`): what the step is told, and what of its result is kept. */
import type { OnceStep } from '../contract.ts';

/** The result as JSON brings it back, so that the run that made it sees what every replayed run sees. */
export async function runStep<T>(step: OnceStep<T>, callId: string, key: string): Promise<T> {
  const text = JSON.stringify(await step({ idempotencyKey: `${callId}:${key}` })) as string | undefined; // undefined has no JSON
  return (text === undefined ? undefined : JSON.parse(text)) as T; // `once` asks for results that are JSON
}
