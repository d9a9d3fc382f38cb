/** The sidebar: servers with their state, and links to all screens. */
import type { ServerInfo } from '../../protocol-rows.ts';
import { screenCount, screenList, showWindow } from '../commands.ts';
import { Button, Icon } from '../parts/elements.tsx';
import { duration } from '../parts/format.ts';
import { linkTo, route } from '../route.ts';
import { servers, tasks } from '../store.ts';
import { serverLine, stageLook } from './server-state.ts';

function ServerRow({ server }: { server: ServerInfo }) {
  const look = stageLook(server);
  const line = serverLine(server);
  const isCurrent = route.value.screen === 'servers' && route.value.of[0] === server.label;
  return (
    <li>
      <a
        class="server"
        href={linkTo('servers', server.label)}
        data-server={server.label}
        data-state={server.stage}
        data-tone={look.tone}
        aria-current={isCurrent ? 'true' : undefined}
        title={`${server.label}: ${look.word}. ${line}`}
      >
        <Icon name={look.symbol} />
        <b>{server.label}</b>
        {server.stage === 'ready' && server.latencyMs !== undefined && (
          <span class="num">{duration(server.latencyMs)}</span>
        )}
        <small>
          <span class="sr">{look.word}, </span>
          {line}
        </small>
      </a>
    </li>
  );
}

export function Sidebar() {
  const parts = ['Use', 'Inspect'] as const;
  return (
    <nav class="sidebar" aria-label="Servers and screens">
      <section aria-label="Servers">
        <h2>
          <span>Servers</span>
          <Button kind="quiet" small symbol="plus" name="Add a server" onClick={showWindow('add-server')} />
        </h2>
        {servers.value.length === 0 ? (
          <p>No servers yet</p>
        ) : (
          <ul>
            {servers.value.map((server) => (
              <ServerRow key={server.label} server={server} />
            ))}
          </ul>
        )}
      </section>
      {parts.map((part) => (
        <section key={part} aria-label={part}>
          <h2>
            <span>{part}</span>
          </h2>
          <ul>
            {screenList
              .filter((one) => one.part === part)
              .map(({ screen, title }) => {
                const count = screen === 'tasks' ? tasks.value.length : screenCount(screen);
                return (
                  <li key={screen}>
                    <a
                      class="nav"
                      href={linkTo(screen)}
                      title={title}
                      aria-current={route.value.screen === screen ? 'page' : undefined}
                    >
                      <Icon name={screen} />
                      <span class="word">{title}</span>
                      {count !== undefined && count > 0 && <span class="num">{count.toLocaleString('en-US')}</span>}
                    </a>
                  </li>
                );
              })}
          </ul>
        </section>
      ))}
    </nav>
  );
}
