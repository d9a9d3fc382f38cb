/** `/help`: what can be typed. */
import { rejectExtra } from '../../arguments.ts';
import { table } from '../../printer.ts';
import type { SlashCommand } from '../chat.ts';

export const help = (commands: () => readonly SlashCommand[]): SlashCommand => ({
  name: 'help',
  usage: '',
  about: 'This',
  async run(words, { screen }) {
    rejectExtra(words);
    const rows = commands().map(({ name, usage, about }) => [`/${name} ${usage}`.trim(), about]);
    screen.result({ type: 'help', commands: rows }, [
      ...table([...rows, ['/quit', 'Close everything and go; so does Ctrl-D']]),
      '',
      'Everything else is for the model. Tab completes, Ctrl-C cancels what runs, and quits when nothing does.',
    ]);
    return undefined;
  },
});
