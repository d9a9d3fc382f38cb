/** An open view: its sandboxed frame, policy, permissions and messages. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { mountView } from '../../../extensions/apps/frame.ts';
import type { JsonObject } from '../../../jsonrpc/message.ts';
import type { ViewRow, ViewStepRow } from '../../protocol-rows.ts';
import { Select } from '../parts/choices.tsx';
import { Button, Icon } from '../parts/elements.tsx';
import { brief } from '../parts/format.ts';
import { Card } from '../parts/layout.tsx';
import { callOrNotify, client, sentenceOf, viewMessages } from '../store.ts';
import { isDark } from '../theme.ts';

/** Displayed messages; the timeline has all of them. */
const MAX_LINES = 100;

interface ViewLine {
  readonly side: '>' | '<';
  readonly message: JsonObject;
}

/** The frame. The page only forwards messages; the bridge in the process handles them. */
function Frame({ view, onLine }: { view: ViewRow; onLine(line: ViewLine): void }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (box.current === null || view.frame === undefined) return undefined;
    const step = (name: 'proxy' | 'frame', state: ViewStepRow['state'], detail?: string): void =>
      void callOrNotify('app.step', { view: view.view, step: name, state, ...(detail !== undefined && { detail }) });
    const port = mountView(box.current, view.frame, {
      title: `View of ${view.tool}`,
      onLost: (why) =>
        step(
          why === 'unreachable' ? 'proxy' : 'frame',
          'failed',
          why === 'unreachable' ? 'The sandbox did not load.' : 'The view no longer responds.',
        ),
    });
    // A large message is fetched first, and later ones wait for it.
    let sent: Promise<void> = Promise.resolve();
    const send = async (given: JsonObject): Promise<void> => {
      const message = await client.whole(given);
      onLine({ side: '>', message });
      port.send(message);
    };
    const onMessage = (event: Event): void => {
      const { detail } = event as CustomEvent<JsonObject>;
      sent = sent.then(() => send(detail)).catch((error: unknown) => step('frame', 'failed', sentenceOf(error)));
    };
    // `port` filters out messages of the sandbox proxy, so listen on the window to detect that proxy and view have loaded.
    const onProxy = ({ source, data }: MessageEvent<unknown>): void => {
      if (source !== box.current?.querySelector('iframe')?.contentWindow || typeof data !== 'object' || data === null)
        return;
      if ('method' in data && String(data.method).endsWith('sandbox-proxy-ready')) step('proxy', 'passed');
      else if (!isLoaded) step('frame', 'passed');
      isLoaded ||= !('method' in data && String(data.method).includes('/sandbox-'));
    };
    let isLoaded = false;
    addEventListener('message', onProxy);
    viewMessages.addEventListener(view.view, onMessage);
    port.onMessage((message) => {
      onLine({ side: '<', message: message as JsonObject });
      void callOrNotify('app.message', { view: view.view, message: message as JsonObject });
    });
    return () => {
      viewMessages.removeEventListener(view.view, onMessage);
      removeEventListener('message', onProxy);
      port.close();
    };
  }, [view.view, view.frame?.proxyUrl]);
  return <div class="stage-box" ref={box} />;
}

const sizes = [
  ['100%', 'full width'],
  ['25rem', '400 px wide'],
  ['48rem', '768 px wide'],
] as const;
/** Members of the host context that the user can change. */
const contexts = [
  ['theme', 'Theme of the view', ['light', 'dark']],
  ['locale', 'Locale of the view', ['en-GB', 'en-US', 'de-DE', 'ja-JP', 'ar-EG']],
  ['platform', 'Device of the view', ['desktop', 'mobile', 'web']],
] as const;

export function OpenView({ view, onClose }: { view: ViewRow; onClose(): void }) {
  const [lines, setLines] = useState<readonly ViewLine[]>([]);
  const [size, setSize] = useState('100%');
  const [context, setContext] = useState({ theme: isDark() ? 'dark' : 'light', locale: 'en-GB', platform: 'desktop' });
  const changeContext = (part: Partial<typeof context>): void => {
    setContext({ ...context, ...part });
    void callOrNotify('app.context', { view: view.view, context: part });
  };
  return (
    <>
      <div class="frame">
        <div class="bar">
          <Select label="Width" value={size} options={sizes} onChoose={setSize} />
          {contexts.map(([name, label, values]) => (
            <Select
              key={name}
              label={label}
              value={context[name]}
              options={values}
              onChoose={(value) => changeContext({ [name]: value })}
            />
          ))}
          <span class="push" />
          <Button small onClick={onClose} text="Close the view" />
        </div>
        <div class="stage" style={{ '--w': size }}>
          {view.frame === undefined || view.ended === 'teardown' ? (
            <p class="dim">
              {view.ended === 'teardown'
                ? 'The view is closed.'
                : 'The view has no frame, because an earlier step failed.'}
            </p>
          ) : (
            <Frame view={view} onLine={(line) => setLines((before) => [...before, line].slice(-MAX_LINES))} />
          )}
        </div>
      </div>
      <div class="side-by-side">
        <Card title="Content security policy">
          <pre class="in mono wrap">{view.policy ?? '–'}</pre>
        </Card>
        <Card title="Permissions">
          <ul class="in">
            {view.granted.length === 0 && view.dropped.length === 0 && <li class="dim">The view requests none.</li>}
            {view.granted.map((name) => (
              <li key={name}>
                <Icon name="check" tone="ok" /> {name} <span class="dim">granted</span>
              </li>
            ))}
            {view.dropped.map((name) => (
              <li key={name}>
                <Icon name="failed" tone="bad" /> {name} <span class="dim">ignored, not valid</span>
              </li>
            ))}
          </ul>
        </Card>
      </div>
      <Card title="Messages of the view" beside={<span class="dim">{lines.length}</span>}>
        {lines.length === 0 && <p class="in dim">No messages between the view and the host yet.</p>}
        <table class="table">
          <tbody>
            {lines.map(({ side, message: { method, params, result, error } }, at) => {
              const body = params ?? result ?? error;
              return (
                <tr key={String(at)}>
                  <td>
                    <Icon
                      name={side === '>' ? 'sent' : 'received'}
                      label={side === '>' ? 'to the view' : 'from the view'}
                    />
                  </td>
                  <td class="mono">{String(method ?? (error === undefined ? 'result' : 'error'))}</td>
                  <td class="wide mono dim" title={brief(body, 2_000)}>
                    {brief(body)}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </Card>
    </>
  );
}
