/** The History tab of a tool: its calls in this session, newest first. */
import type { JsonObject } from '../../../jsonrpc/message.ts';
import type { OfferRow } from '../../protocol-rows.ts';
import { Button, EmptyState, Icon } from '../parts/elements.tsx';
import { clockTime, duration } from '../parts/format.ts';
import { RowTable } from '../parts/layout.tsx';
import { useVerb } from '../parts/use-verb.ts';
import { linkTo } from '../route.ts';
import { callOrNotify, messageTotal } from '../store.ts';
import { draftOf, setDraftText } from './drafts.ts';

/** Number of messages to load; each call has at least two. */
const MAX_MESSAGES = 500;

export function ToolHistory({ tool }: { tool: OfferRow }) {
  const filter = { server: tool.server, method: 'tools/call', subject: tool.key };
  const { result } = useVerb('timeline.page', { limit: MAX_MESSAGES, filter }, messageTotal.value);
  const calls = (result?.rows ?? []).filter(({ side }) => side === '>').toReversed();
  const reuseArguments = async (id: number): Promise<void> => {
    const message = (await callOrNotify('timeline.message', { id }))?.message;
    const params = message?.['params'] as JsonObject | undefined;
    setDraftText(tool, JSON.stringify(params?.['arguments'] ?? {}, null, 2));
    draftOf(tool).tab.value = 'call';
  };
  if (result === undefined) return null;
  if (calls.length === 0)
    return (
      <EmptyState
        symbol="tools"
        title="Not called yet"
        text="Every call of this tool is listed here while the workbench runs. “Use again” fills in its arguments."
      />
    );
  return (
    <>
      <RowTable heads={['#', 'Time', 'Arguments', ['Outcome', 'wide'], ['Took', 'end'], ['Actions', 'sr']]}>
        {calls.map((call) => {
          const response = result.rows.find(({ kind, span }) => kind === 'response' && span === call.id);
          return (
            <tr key={call.id}>
              <td class="num">
                <a href={linkTo('timeline', call.id)}>{call.id}</a>
              </td>
              <td class="num">{clockTime(call.at)}</td>
              <td class="mono dim cut" title={call.what}>
                {call.what ?? '{}'}
              </td>
              <td class="wide" title={response?.what}>
                {response?.isError === true && <Icon name="failed" tone="bad" label="error" />}{' '}
                {response === undefined ? <span class="dim">no response</span> : (response.what ?? 'empty result')}
              </td>
              <td class="num end">{duration(response?.ms)}</td>
              <td>
                <Button small onClick={() => void reuseArguments(call.id)} text="Use again" />
              </td>
            </tr>
          );
        })}
      </RowTable>
      {result.total > result.rows.length && (
        <p class="quiet-line">
          Only the newest calls are listed. <a href={linkTo('timeline')}>See all of them in the timeline</a>
        </p>
      )}
    </>
  );
}
