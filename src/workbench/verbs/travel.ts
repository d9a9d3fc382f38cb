/** Verbs about recordings: record to a file, and open a recording for time travel. */
import { isObject } from '../../jsonrpc/message.ts';
import { boolean, number, optional, type Shape, string } from '../../model/shape.ts';
import type { VerbParams } from '../protocol.ts';
import { type VerbTable, verb } from '../rpc.ts';
import type { Workbench } from '../workbench.ts';
import type { WorkbenchRecordings } from '../workbench-recordings.ts';

const MAX_ROWS = 500;
const openParams: Shape<VerbParams<'travel.open'>> = (value, at) => {
  const { file, text, server } = isObject(value) ? value : {};
  return [file, text, server].some((one) => typeof one === 'string')
    ? undefined
    : `"${at}" must have a file, a text or a server`;
};

export function travelVerbs(bench: Workbench, travel: WorkbenchRecordings): VerbTable {
  return {
    record: verb(
      { on: boolean, file: optional(string), server: optional(string) },
      ({ on, file = 'session.ndjson', server }) => {
        if (!on) return travel.stop();
        travel.record(file, server ?? bench.servers.list()[0]?.label ?? '');
        return travel.recording ?? { messages: 0 };
      },
    ),
    'travel.open': verb(openParams, (given) => {
      if ('file' in given) return travel.openFile(given.file);
      return 'text' in given ? travel.openText(given.text, given.name ?? 'a recording') : travel.openLive(given.server);
    }),
    'travel.at': verb({ line: number }, ({ line }) => travel.at(line)),
    'travel.lines': verb({ offset: number, limit: number }, ({ offset, limit }) =>
      travel.rows(Math.max(0, offset), Math.max(0, Math.min(limit, MAX_ROWS))),
    ),
    'travel.line': verb({ line: number }, ({ line }) => travel.line(line)),
    'travel.serve': verb({}, () => bench.servers.connect(travel.serve())),
    'travel.close': verb({}, () => {
      travel.close();
    }),
  };
}
