/** Entry point of the page: top bar, sidebar, dock and open questions around the current screen. */
import { effect } from '@preact/signals';
import { type FunctionComponent, render } from 'preact';
import { useEffect } from 'preact/hooks';
import { systemClock } from '../../peer/clock.ts';
import type { ScreenName } from '../protocol-rows.ts';
import { openWindow } from './commands.ts';
import { followTitle, listenToKeys } from './keys.ts';
import { followRoute, route } from './route.ts';
import { AppsScreen } from './screens/apps.tsx';
import { CatalogueScreen } from './screens/catalogue.tsx';
import { ChatScreen } from './screens/chat.tsx';
import { CompareScreen } from './screens/compare.tsx';
import { PolicyScreen } from './screens/policy.tsx';
import { PromptsScreen } from './screens/prompts.tsx';
import { ResourcesScreen } from './screens/resources.tsx';
import { ServersScreen } from './screens/servers.tsx';
import { SignInScreen } from './screens/sign-in.tsx';
import { SkillsScreen } from './screens/skills.tsx';
import { TasksScreen } from './screens/tasks.tsx';
import { TimelineScreen } from './screens/timeline.tsx';
import { ToolsScreen } from './screens/tools.tsx';
import { TravelScreen } from './screens/travel.tsx';
import { AddServer } from './shell/add-server.tsx';
import { ConnectionScreen } from './shell/connection-screen.tsx';
import { Dock } from './shell/dock.tsx';
import { Help } from './shell/help.tsx';
import { OpenQuestions, questionSentence } from './shell/open-questions.tsx';
import { Palette } from './shell/palette.tsx';
import { Sidebar } from './shell/sidebar.tsx';
import { TopBar } from './shell/topbar.tsx';
import { announcement, client, hello, notice, questions, stage, travelling } from './store.ts';
import { restoreTheme } from './theme.ts';

const screens: Readonly<Record<ScreenName, FunctionComponent>> = {
  servers: ServersScreen,
  tools: ToolsScreen,
  resources: ResourcesScreen,
  prompts: PromptsScreen,
  tasks: TasksScreen,
  apps: AppsScreen,
  skills: SkillsScreen,
  'sign-in': SignInScreen,
  policy: PolicyScreen,
  catalogue: CatalogueScreen,
  chat: ChatScreen,
  compare: CompareScreen,
  travel: TravelScreen,
  timeline: TimelineScreen,
};

const NOTICE_MS = 4_000;

/** A toast: shows `notice` for a few seconds. */
function Notice() {
  const text = notice.value;
  useEffect(() => {
    if (text === '') return undefined;
    return systemClock.after(NOTICE_MS, () => {
      notice.value = '';
    });
  }, [text]);
  return (
    <output class="notice" data-state={text === '' ? 'empty' : 'shown'} aria-live="polite">
      {text}
    </output>
  );
}

/** Announces the newest question to screen readers at once. */
function Announcer() {
  const newest = questions.value.at(-1);
  return (
    <div class="sr" role="alert" aria-live="assertive">
      {newest === undefined ? '' : questionSentence(newest)}
    </div>
  );
}

function Page() {
  if (hello.value === undefined || stage.value === 'locked') return <ConnectionScreen />;
  const Screen = screens[route.value.screen];
  const isRecorded = travelling.value !== undefined && route.value.screen === 'travel';
  const hasOwnTimeline = route.value.screen === 'timeline' || route.value.screen === 'travel';
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById('main')?.focus();
        }}
      >
        Skip to the screen
      </a>
      <div class="app" data-asked={questions.value.length > 0 ? 'open' : 'closed'}>
        <TopBar />
        <Sidebar />
        <main class="main" id="main" tabIndex={-1} data-mode={isRecorded ? 'recorded' : undefined}>
          <Screen />
        </main>
        <OpenQuestions />
        {!hasOwnTimeline && <Dock />}
      </div>
      {stage.value !== 'live' && <ConnectionScreen />}
      {openWindow.value === 'palette' && <Palette />}
      {openWindow.value === 'help' && <Help />}
      {openWindow.value === 'add-server' && <AddServer />}
      <Announcer />
      <div class="sr" aria-live="polite">
        {announcement.value}
      </div>
      <Notice />
    </>
  );
}

restoreTheme();
const start = client.open();
followRoute();
followTitle();
listenToKeys();
const root = document.getElementById('page');
if (root !== null) render(<Page />, root);
effect(() => {
  document.documentElement.dataset['state'] = stage.value;
});
void start;
