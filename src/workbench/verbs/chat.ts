/** Verbs of the chat. */
import { shape, string } from '../../model/shape.ts';
import { type VerbTable, verb } from '../rpc.ts';
import type { WorkbenchChat } from '../workbench-chat.ts';

const text = shape<{ readonly text: string }>({ text: string });

export const chatVerbs = (chat: WorkbenchChat): VerbTable => ({
  'chat.state': verb({}, () => chat.state),
  'chat.say': verb(text, (said) => chat.say(said.text)),
  'chat.script': verb(text, (script) => chat.setScript(script.text)),
  'chat.stop': verb({}, () => chat.stop()),
});
