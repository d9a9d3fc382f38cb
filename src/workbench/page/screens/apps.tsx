/** The Apps screen: calls a tool, opens its view in a sandbox, and lists the steps of its lifecycle. */
import type { JsonObject } from '../../../jsonrpc/message.ts';
import { type OfferRow, type ViewRow, type ViewStep, viewSteps } from '../../protocol-rows.ts';
import { EmptyState, Failure, LinkButton, Loading, MainButton, Tag } from '../parts/elements.tsx';
import { duration, sentence } from '../parts/format.ts';
import { parseJsonText } from '../parts/json-text.ts';
import { type StepRow, Steps } from '../parts/steps.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { useTabLock } from '../parts/use-tab-lock.ts';
import { callOrNotify, callVerb, offers, views } from '../store.ts';
import { isDark } from '../theme.ts';
import { OpenView } from './app-view.tsx';
import { draftOf } from './drafts.ts';
import { OfferScreen } from './offer-list.tsx';

const stepWords: Readonly<Record<string, string>> = {
  read: 'Resource read',
  type: 'Type checked',
  policy: 'Policy built',
  proxy: 'Proxy ready',
  frame: 'Frame loaded',
  'ui/initialize': 'ui/initialize',
  initialized: 'initialized',
  input: 'Input sent',
  result: 'Result sent',
};
/** Remedies by failed step. */
const remedies: Readonly<Partial<Record<ViewStep, string>>> = {
  read: 'Check that the server offers a resource with the URI that the tool names in `_meta.ui.resourceUri`.',
  type: 'Serve the resource with the type `text/html;profile=mcp-app`.',
  policy: 'Check the domains and permissions in `_meta.ui` of the resource.',
  proxy:
    'Reload this page. The sandbox is another port of this machine: a proxy or an extension of the browser can block it.',
  frame: 'Open the view again. Errors of its script are in the console of the browser.',
  'ui/initialize':
    'The script of the view must send `ui/initialize`, then `ui/notifications/initialized`: `connectView()` of mooring/view does both. Errors of the script are in the console of the browser.',
  result: 'Press Arguments, and call the tool there to see the whole error.',
};
function lifecycleRows(view: ViewRow | undefined): StepRow[] {
  // `ms` of a step is the time since the view was opened; the list shows the time since the previous step.
  let before = 0;
  return viewSteps.map((name) => {
    const { state = 'waiting', ms, detail } = view?.steps.find(({ step }) => step === name) ?? {};
    const took = ms === undefined ? undefined : ms - before;
    before = ms ?? before;
    const note = detail !== undefined && state === 'failed' ? sentence(detail) : detail;
    return {
      ...{ name, what: stepWords[name], time: duration(took), notes: [note] },
      state: state === 'waiting' ? 'todo' : state,
    };
  });
}

function App({ tool }: { tool: OfferRow }) {
  const { isBusy, failure, attempt } = useAttempt();
  // A view has one frame: a second one would repeat its handshake and its calls.
  const frameLock = useTabLock(`view of ${tool.name}`);
  const view = views.value.findLast((one) => one.server === tool.server && one.tool === tool.key);
  const parsed = parseJsonText(draftOf(tool).text.value);
  const close = async (): Promise<void> => {
    if (view !== undefined && view.ended === undefined) await callOrNotify('app.close', { view: view.view });
  };
  const open = async (): Promise<ViewRow> => {
    frameLock.take();
    await close();
    return callVerb('app.open', {
      server: tool.server,
      tool: tool.key,
      ...('node' in parsed && { arguments: parsed.value as JsonObject }),
      context: { theme: isDark() ? 'dark' : 'light' },
    });
  };
  const show = (opened: ViewRow): void => {
    views.value = [...views.value.filter((one) => one.view !== opened.view), opened];
  };
  const failed = view?.steps.find(({ state }) => state === 'failed');
  const isLive =
    view !== undefined &&
    view.ended === undefined &&
    failed === undefined &&
    view.steps.every(({ state }) => state === 'passed');
  return (
    <div class="pane" data-server={tool.server}>
      <header class="head">
        <h1>{tool.name}</h1>
        {isLive && <Tag tone="ok" symbol="ready" text="live" />}
        {failed !== undefined && (
          <Tag tone="bad" symbol="failed">
            stopped at {stepWords[failed.step]}
          </Tag>
        )}
        {view?.ended !== undefined && <Tag>ended</Tag>}
        <code class="dim">{tool.view}</code>
        <div class="actions">
          <LinkButton to={['tools', tool.server, tool.key]} text="Arguments" />
          <MainButton
            symbol="apps"
            disabled={isBusy}
            onClick={() => void attempt(open(), show)}
            text={isBusy ? 'Calling…' : isLive ? 'Call and open again' : 'Call and open'}
          />
        </div>
      </header>
      <div class="panes app-panes">
        <div class="pane">
          <div class="bar">
            <h2>Lifecycle</h2>
          </div>
          <Steps rows={lifecycleRows(view)} aria-label="Lifecycle of the view" />
        </div>
        <div class="pane">
          <div class="body">
            {failure !== undefined && <Failure sentence={failure} />}
            {failed !== undefined && (
              <Failure
                sentence={`The view stopped at “${stepWords[failed.step]}”${failed.detail === undefined ? '' : `: ${failed.detail}`}.`}
                remedy={remedies[failed.step]}
              />
            )}
            {isBusy ? (
              <Loading what="the view" />
            ) : view === undefined ? (
              <EmptyState
                symbol="apps"
                title="The view is not open"
                text="“Call and open” calls the tool, and shows its view in a sandbox with a separate origin."
              />
            ) : frameLock.isHeld === false ? (
              <EmptyState
                symbol="apps"
                title="The view is open in another tab"
                text="It moves here when that tab leaves it. “Call and open again” opens it here now."
              />
            ) : (
              frameLock.isHeld && <OpenView key={view.view} view={view} onClose={() => void close()} />
            )}
          </div>
        </div>
      </div>
    </div>
  );
}

export const AppsScreen = () => (
  <OfferScreen
    screen="apps"
    title="Apps"
    items={offers.value.tool.filter(({ view }) => view !== undefined)}
    look={() => ({ symbol: 'apps', word: 'app' })}
    none={[
      'No apps',
      <p>
        No connected server offers a tool with a view. Such a tool names an HTML resource in{' '}
        <code>_meta.ui.resourceUri</code>.
      </p>,
    ]}
    other={['Choose an app', <p>Its view opens in a sandbox, and each step of its lifecycle is listed.</p>]}
  >
    {(tool) => <App key={tool.name} tool={tool} />}
  </OfferScreen>
);
