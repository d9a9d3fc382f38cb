/** Shown while no server is configured: how to add, start or write one. */
import { Code, Icon } from '../parts/elements.tsx';
import { AddServerButton } from '../parts/layout.tsx';
import { SAMPLE_SERVER } from '../sample-server.ts';

export function Welcome() {
  return (
    <section class="screen" data-screen="empty">
      <div class="pane">
        <div class="welcome">
          <div>
            <h1>No server yet</h1>
            <p class="lead">
              The workbench calls the tools of MCP servers, and shows every message and every decision.
            </p>
            <div class="actions">
              <AddServerButton />
              <span class="dim">You confirm a URL here, and a command in the terminal.</span>
            </div>
          </div>
          <section>
            <h2>
              <Icon name="terminal" /> Or start the workbench with a module, a command or a URL
            </h2>
            <Code
              label="Commands"
              text={'npx mooring workbench ./shop.ts\nnpx mooring workbench http://127.0.0.1:3000/mcp'}
            />
          </section>
          <section>
            <h2>
              <Icon name="file" /> Or write a server: shop.ts
            </h2>
            <Code label="shop.ts" text={SAMPLE_SERVER} />
          </section>
        </div>
      </div>
    </section>
  );
}
