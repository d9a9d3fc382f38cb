/** Symbol, color and words for the stage of a server. */
import type { ServerInfo, ServerStage } from '../../protocol-rows.ts';
import { sentence } from '../parts/format.ts';
import { questions } from '../store.ts';

export interface StageLook {
  readonly symbol: string;
  readonly tone: 'ok' | 'warn' | 'bad' | undefined;
  readonly word: string;
}

const looks: Readonly<Record<ServerStage, StageLook>> = {
  idle: { symbol: 'idle', tone: undefined, word: 'not connected' },
  asking: { symbol: 'asks', tone: 'warn', word: 'needs permission' },
  connecting: { symbol: 'working', tone: undefined, word: 'connecting' },
  restarting: { symbol: 'working', tone: undefined, word: 'restarting' },
  ready: { symbol: 'ready', tone: 'ok', word: 'ready' },
  failed: { symbol: 'failed', tone: 'bad', word: 'failed' },
  crashed: { symbol: 'failed', tone: 'bad', word: 'crashed' },
  stopped: { symbol: 'skipped', tone: undefined, word: 'stopped' },
};

/** Whether a question asks for permission to open the server. */
const isAsked = ({ label }: ServerInfo): boolean =>
  questions.value.some(
    (one) => one.kind === 'consent' && one.server === label && ['spawn', 'connect'].includes(String(one.act['kind'])),
  );

export function stageLook(server: ServerInfo): StageLook {
  if (isAsked(server)) return looks.asking;
  return server.needsSignIn && server.stage !== 'ready'
    ? { symbol: 'asks', tone: 'warn', word: 'needs sign-in' }
    : looks[server.stage];
}

/** Whether a server runs or is being opened. */
export const isOn = ({ stage }: ServerInfo): boolean =>
  stage === 'ready' || stage === 'connecting' || stage === 'restarting' || stage === 'asking';

const kinds: Readonly<Record<ServerInfo['kind'], string>> = {
  command: 'stdio',
  url: 'HTTP',
  process: 'in process',
};

export const transportWord = ({ added, kind }: ServerInfo): string => (added === 'recording' ? 'replay' : kinds[kind]);

/** The second line of a server's row: its revision, or why it failed. */
export function serverLine(server: ServerInfo): string {
  if (server.failure !== undefined) return sentence(server.failure.sentence);
  const look = stageLook(server);
  if (server.stage === 'ready')
    return [server.revision, transportWord(server)].filter((part) => part !== undefined).join(' · ');
  if (look === looks.asking) return 'Waiting for your permission';
  return `${look.word} · ${transportWord(server)}`;
}
