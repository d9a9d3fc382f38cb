/** Opens a workbench: the host, the sandbox for views and the HTTP server of the page. */
import { sandboxServer } from '../extensions/apps/sandbox-node.ts';
import { WorkbenchRpc } from './rpc.ts';
import { serveWorkbench } from './serve-node.ts';
import { actVerbs } from './verbs/acts.ts';
import { answerVerbs } from './verbs/answers.ts';
import { appVerbs } from './verbs/apps.ts';
import { catalogueVerbs } from './verbs/catalogue.ts';
import { chatVerbs } from './verbs/chat.ts';
import { compareVerbs } from './verbs/compare.ts';
import { exportVerbs } from './verbs/export.ts';
import { policyVerbs } from './verbs/policy.ts';
import { serverVerbs } from './verbs/servers.ts';
import { signInVerbs } from './verbs/sign-in.ts';
import { skillVerbs } from './verbs/skills.ts';
import { taskVerbs } from './verbs/tasks.ts';
import { timelineVerbs } from './verbs/timeline.ts';
import { travelVerbs } from './verbs/travel.ts';
import { Workbench } from './workbench.ts';
import type { WorkbenchOptions } from './workbench-core.ts';
import { WorkbenchRecordings } from './workbench-recordings.ts';
import { WorkbenchViews } from './workbench-views.ts';

export interface OpenWorkbenchOptions extends WorkbenchOptions {
  readonly port: number;
  readonly address: string;
  /** The folder of the built page. */
  readonly folder: URL;
  /** Labels of servers to connect at once. */
  readonly connect: readonly string[];
  /** Relative file names of recordings are resolved from here. */
  readonly cwd: string;
  /** The recording to open, and the file to record to. */
  readonly open?: string | undefined;
  readonly record?: string | undefined;
  onPages?(count: number): void;
}

export interface OpenedWorkbench {
  readonly bench: Workbench;
  readonly origin: string;
  /** A URL for one more page. */
  invite(): string;
  close(why: string): Promise<void>;
}

export async function openWorkbench(options: OpenWorkbenchOptions): Promise<OpenedWorkbench> {
  const bench = new Workbench(options);
  const sandbox = await sandboxServer();
  const travel = new WorkbenchRecordings(bench, options.cwd);
  const apps = new WorkbenchViews(bench, sandbox);
  const parts = {
    invite: () => served.invite(),
    recording: () => travel.recording,
    travelling: () => travel.info,
  };
  const rpc = new WorkbenchRpc(bench, {
    ...{ ...serverVerbs(bench, parts), ...answerVerbs(bench), ...actVerbs(bench), ...catalogueVerbs(bench) },
    ...{ ...timelineVerbs(bench), ...taskVerbs(bench.tasks), ...policyVerbs(bench), ...skillVerbs(bench) },
    ...{ ...signInVerbs(bench.signIns, bench.servers), ...compareVerbs(bench), ...travelVerbs(bench, travel) },
    ...{ ...exportVerbs(bench), ...chatVerbs(bench.chat), ...appVerbs(apps) },
  });
  const served = await serveWorkbench({
    ...{ port: options.port, address: options.address, folder: options.folder },
    ...{ feed: bench.feed, large: bench.large, clock: bench.clock },
    frameSources: [`http://*.localhost:${sandbox.port}`, `http://127.0.0.1:${sandbox.port}`],
    onForeignOrigin: (origin) => options.note(`Rejected a request from ${origin}`),
    answer: (request) => rpc.answer(request),
    ...(options.onPages === undefined ? {} : { onPages: options.onPages }),
  }).catch(async (error: unknown) => {
    await Promise.all([sandbox.close(), bench.close('it did not start')]);
    throw error;
  });
  apps.origin = served.origin;
  const close = async (why: string): Promise<void> => {
    travel.stop();
    try {
      await bench.close(why);
    } finally {
      await Promise.all([served.close(), sandbox.close()]);
    }
  };
  try {
    if (options.open !== undefined) await travel.openFile(options.open);
    if (options.record !== undefined)
      travel.record(options.record, options.connect[0] ?? bench.servers.list()[0]?.label ?? '');
  } catch (error) {
    await close('it did not start');
    throw error;
  }
  for (const label of options.connect) void bench.servers.connect(label);
  return { bench, origin: served.origin, invite: () => served.invite(), close };
}
