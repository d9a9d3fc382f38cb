/** The first server of `npm start`: it lives in the same process as the host. */
import { createServer, prompt, resource, type Server, tool } from 'mooring';
import * as z from 'zod';

export function logbook(revisions?: readonly string[]): Server {
  const lines = ['06:00 The harbour opens'];
  return createServer({
    name: 'logbook',
    title: "The harbour's logbook",
    version: '1.0.0',
    ...(revisions === undefined ? {} : { revisions }),
    parts: [
      tool({
        name: 'lines',
        description: 'What is written in the logbook',
        effects: 'read',
        openWorld: false,
        run: () => lines.join('\n'),
      }),
      tool({
        name: 'write',
        description: 'Write a line into the logbook',
        effects: 'write',
        openWorld: false,
        input: z.object({ text: z.string().min(1).describe('What happened') }),
        run: ({ text }) => `The logbook has ${lines.push(text)} lines`,
      }),
      resource({ uri: 'logbook://today', name: 'today', mimeType: 'text/plain', read: () => lines.join('\n') }),
      prompt({
        name: 'report',
        description: 'Have a model write the report of the day',
        args: z.object({ reader: z.string().describe('Who is going to read it') }),
        render: ({ reader }) => `Write a short report for ${reader} about this day:\n${lines.join('\n')}`,
      }),
    ],
  });
}
