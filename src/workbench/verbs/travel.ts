/** Verbs about recordings. */
import { isObject } from '../../jsonrpc/message.ts';
import { boolean, number, optional, type Shape, shape, string } from '../../model/shape.ts';
import type { VerbParams } from '../protocol.ts';
import type { VerbGroup } from '../rpc.ts';
import type { Workbench } from '../workbench.ts';
import type { WorkbenchRecordings } from '../workbench-recordings.ts';

const MAX_ROWS = 500;
const nothing = shape<Readonly<Record<string, never>>>({});
const opened: Shape<VerbParams<'travel.open'>> = (value, at) => {
  const { file, text, server } = isObject(value) ? value : {};
  return [file, text, server].some((one) => typeof one === 'string')
    ? undefined
    : `"${at}" must have a file, a text or a server`;
};

export function travelVerbs(bench: Workbench, travel: WorkbenchRecordings): VerbGroup {
  return {
    screens: ['travel'],
    verbs: {
      record: {
        params: shape<VerbParams<'record'>>({ on: boolean, file: optional(string), server: optional(string) }),
        run: ({ on, file = 'session.ndjson', server }) => {
          if (!on) return travel.stop();
          travel.record(file, server ?? bench.servers.list()[0]?.label ?? '');
          return travel.recording ?? { messages: 0 };
        },
      },
      'travel.open': {
        params: opened,
        run: (given) => {
          if ('file' in given) return travel.openFile(given.file);
          return 'text' in given
            ? travel.openText(given.text, given.name ?? 'a recording')
            : travel.openLive(given.server);
        },
      },
      'travel.at': {
        params: shape<VerbParams<'travel.at'>>({ line: optional(number), ms: optional(number) }),
        run: (moment) => travel.at(moment),
      },
      'travel.lines': {
        params: shape<VerbParams<'travel.lines'>>({ offset: number, limit: number }),
        run: ({ offset, limit }) => travel.rows(Math.max(0, offset), Math.max(0, Math.min(limit, MAX_ROWS))),
      },
      'travel.line': {
        params: shape<VerbParams<'travel.line'>>({ line: number }),
        run: ({ line }) => travel.line(line),
      },
      'travel.serve': { params: nothing, run: () => bench.servers.connect(travel.serve()) },
      'travel.close': {
        params: nothing,
        run: () => {
          travel.close();
          return {};
        },
      },
    },
  };
}
