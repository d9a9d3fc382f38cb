/** Verbs of the chat. */
import { shape, string } from '../../model/shape.ts';
import type { VerbGroup } from '../rpc.ts';
import type { WorkbenchChat } from '../workbench-chat.ts';

const nothing = shape<Readonly<Record<string, never>>>({});
const text = shape<{ readonly text: string }>({ text: string });

export const chatVerbs = (chat: WorkbenchChat): VerbGroup => ({
  screens: ['chat'],
  verbs: {
    'chat.state': { params: nothing, run: () => chat.state },
    'chat.say': { params: text, run: (said) => chat.say(said.text) },
    'chat.script': { params: text, run: (script) => chat.setScript(script.text) },
    'chat.stop': { params: nothing, run: () => chat.stop() },
  },
});
