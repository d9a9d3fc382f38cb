/** Calls of a tool in this session, from the timeline, newest first. */
import type { JsonObject } from '../../../jsonrpc/message.ts';
import type { OfferRow } from '../../protocol-rows.ts';
import type { MessageRow } from '../../protocol-timeline.ts';
import { Button, EmptyState } from '../parts/elements.tsx';
import { clockTime, duration } from '../parts/format.ts';
import { RowTable } from '../parts/layout.tsx';
import { useAsked } from '../parts/use-asked.ts';
import { linkTo } from '../route.ts';
import { messageTotal, send } from '../store.ts';
import { draftOf, setDraftText } from './drafts.ts';

export function ToolHistory({ tool }: { tool: OfferRow }) {
  const filter = { server: tool.server, method: 'tools/call' };
  const { said } = useAsked('timeline.page', { limit: 500, filter }, messageTotal.value);
  const rows = (said?.rows ?? []).filter(({ subject }) => subject === tool.key).toReversed();
  const calls = rows.filter(({ side }) => side === '>');
  const responseOf = (call: MessageRow): MessageRow | undefined =>
    rows.find(({ kind, span }) => kind === 'response' && span === call.id);
  const again = async (id: number): Promise<void> => {
    const said = await send('timeline.message', { id });
    const params = said?.message['params'] as JsonObject | undefined;
    setDraftText(tool, JSON.stringify(params?.['arguments'] ?? {}, null, 2));
    draftOf(tool).tab.value = 'call';
  };
  if (said === undefined) return null;
  if (calls.length === 0)
    return (
      <EmptyState symbol="tools" title="Not called yet">
        <p>Every call of this tool is listed here while the workbench runs. “Use again” fills in its arguments.</p>
      </EmptyState>
    );
  return (
    <RowTable heads={['#', 'Time', 'Took', ['Outcome', 'wide'], ['Actions', 'sr']]}>
      {calls.map((row) => {
        const response = responseOf(row);
        return (
          <tr key={row.id}>
            <td class="num">
              <a href={linkTo('timeline', row.id)}>{row.id}</a>
            </td>
            <td class="num">{clockTime(row.at)}</td>
            <td class="num">{duration(response?.ms)}</td>
            <td class="wide">{response === undefined ? 'no response' : response.isError ? 'error' : 'result'}</td>
            <td>
              <Button small onClick={() => void again(row.id)}>
                Use again
              </Button>
            </td>
          </tr>
        );
      })}
    </RowTable>
  );
}
