/** The Servers screen: a table of all servers, or one server. */
import { Button, EmptyState, Icon } from '../parts/elements.tsx';
import { sentence } from '../parts/format.ts';
import { RowTable } from '../parts/layout.tsx';
import { linkTo, route } from '../route.ts';
import { isOn, stageLook } from '../shell/server-state.ts';
import { callOrNotify, servers } from '../store.ts';
import { OfferCounts, OneServer } from './server.tsx';
import { Welcome } from './welcome.tsx';

function AllServers() {
  return (
    <section class="screen" data-screen="servers">
      <header class="head">
        <h1>Servers</h1>
        <p class="lead">
          From the command line and the configuration files on this machine. A server that is only configured starts
          when you connect it.
        </p>
      </header>
      <div class="pane">
        <RowTable heads={[['Server', 'wide'], 'State', 'Revision', 'Offers', 'Configured in', ['Actions', 'sr']]}>
          {servers.value.map((server) => {
            const look = stageLook(server);
            return (
              <tr key={server.label} data-server={server.label} data-state={server.stage}>
                <td class="two wide">
                  <a href={linkTo('servers', server.label)} data-row="">
                    {server.label}
                  </a>
                  {server.failure === undefined ? (
                    <small class="mono" title={server.address}>
                      {server.address}
                    </small>
                  ) : (
                    <small data-tone="bad" title={server.address}>
                      {sentence(server.failure.sentence)}
                    </small>
                  )}
                </td>
                <td>
                  <Icon name={look.symbol} tone={look.tone} /> {look.word}
                </td>
                <td class="num">{server.revision ?? ''}</td>
                <td>
                  <OfferCounts server={server} />
                </td>
                <td title={server.origin?.file}>
                  {server.origin === undefined
                    ? (server.added ?? 'command line')
                    : `${server.origin.file.split(/[\\/]/).at(-1)}:${server.origin.line}`}
                </td>
                <td class="end">
                  {!isOn(server) && (
                    <Button
                      small
                      aria-label={`Connect ${server.label}`}
                      onClick={() => void callOrNotify('servers.connect', { server: server.label })}
                      text="Connect"
                    />
                  )}
                </td>
              </tr>
            );
          })}
        </RowTable>
      </div>
    </section>
  );
}

export function ServersScreen() {
  const [label] = route.value.of;
  if (servers.value.length === 0) return <Welcome />;
  if (label === undefined) return <AllServers />;
  const server = servers.value.find((one) => one.label === label);
  if (server !== undefined) return <OneServer server={server} />;
  return (
    <section class="screen" data-screen="servers">
      <h1 class="sr">Servers</h1>
      <EmptyState symbol="terminal" title={`Unknown server ${label}`}>
        <p>
          <a href={linkTo('servers')}>See all servers</a>
        </p>
      </EmptyState>
    </section>
  );
}
