/** Counts and profiles functions of this process with the inspector of V8. */
import type { Profiler, Session } from 'node:inspector';

export interface Counted {
  /** The file; `node:` and a name for modules of Node. */
  readonly url: string;
  readonly name: string;
  readonly calls: number;
}

export interface Spent {
  readonly url: string;
  readonly line: number;
  readonly name: string;
  /** Microseconds in the function itself, without its callees. */
  readonly self: number;
}

type Answers = Readonly<Record<string, () => Promise<unknown>>>;

export function inspecting(): Answers {
  let opened: Session | undefined;
  const session = async (): Promise<Session> => {
    if (opened !== undefined) return opened;
    const { Session } = await import('node:inspector');
    opened = new Session();
    opened.connect();
    await post(opened, 'Profiler.enable');
    return opened;
  };
  return {
    startCounting: async () =>
      post(await session(), 'Profiler.startPreciseCoverage', { callCount: true, detailed: false }),
    /** Since the last call. */
    counted: async () => {
      const { result } = (await post(await session(), 'Profiler.takePreciseCoverage')) as Coverage; // the inspector's format
      return result.flatMap(({ url, functions }) =>
        functions.map(({ functionName, ranges: [range] }): Counted => {
          return { url, name: functionName, calls: range?.count ?? 0 };
        }),
      );
    },
    startProfile: async () => {
      await post(await session(), 'Profiler.setSamplingInterval', { interval: 200 });
      return post(await session(), 'Profiler.start');
    },
    profile: async () => {
      const { profile } = (await post(await session(), 'Profiler.stop')) as { profile: Profiler.Profile }; // as above
      return spent(profile);
    },
  };
}

type Coverage = Profiler.TakePreciseCoverageReturnType;

/** Self time by function. */
function spent({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Spent[] {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const all = new Map<string, Spent>();
  for (const [at, id] of samples.entries()) {
    const frame = frames.get(id);
    if (frame === undefined) continue;
    const { functionName: name, url, lineNumber: line } = frame;
    const key = `${name} ${url} ${line}`;
    all.set(key, { name, url, line: line + 1, self: (all.get(key)?.self ?? 0) + (timeDeltas[at] ?? 0) });
  }
  return [...all.values()];
}

const post = (session: Session, method: string, params: object = {}): Promise<object> =>
  new Promise((resolve, reject) => {
    session.post(method, params, (error, result) => (error === null ? resolve(result ?? {}) : reject(error)));
  });
