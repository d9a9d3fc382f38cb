/** Resources and prompts of every kind: text, bytes, a template; prompts with and without arguments, with embedded content. */
import { type Part, prompt, resource } from 'mooring';
import * as z from 'zod';
import { image, imageBytes } from './content.ts';

const suggestions = ['test', 'testValue1', 'testValue2'];

export const resources: readonly Part[] = [
  resource({
    uri: 'test://static-text',
    name: 'Static text',
    description: 'A line of text',
    mimeType: 'text/plain',
    read: () => 'This is the content of the static text resource.',
  }),
  resource({
    uri: 'test://static-binary',
    name: 'Static binary',
    description: 'A picture',
    mimeType: 'image/png',
    read: () => imageBytes,
  }),
  resource({
    uri: 'test://watched-resource',
    name: 'Watched resource',
    description: 'Something to subscribe to',
    mimeType: 'text/plain',
    read: () => 'Watched resource content',
  }),
  resource({
    uri: 'test://template/{id}/data',
    name: 'Template',
    description: 'Data for any id',
    mimeType: 'application/json',
    complete: { id: (start) => ['123', '124', '200'].filter((id) => id.startsWith(start)) },
    read: ({ id }) => ({ id, templateTest: true, data: `Data for ID: ${id}` }),
  }),
];

export const prompts: readonly Part[] = [
  prompt({
    name: 'test_simple_prompt',
    description: 'One message',
    render: () => 'This is a simple prompt for testing.',
  }),
  prompt({
    name: 'test_prompt_with_arguments',
    description: 'One message with two values in it',
    args: z.object({ arg1: z.string().describe('First value'), arg2: z.string().describe('Second value') }),
    complete: { arg1: (start) => suggestions.filter((one) => one.startsWith(start)) },
    render: ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  }),
  prompt({
    name: 'test_prompt_with_embedded_resource',
    description: 'A resource, and a message about it',
    args: z.object({ resourceUri: z.string().describe('Which one') }),
    render: ({ resourceUri }) => [
      {
        role: 'user',
        content: {
          type: 'resource',
          resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        },
      },
      { role: 'user', content: { type: 'text', text: 'Please process the embedded resource above.' } },
    ],
  }),
  prompt({
    name: 'test_prompt_with_image',
    description: 'A picture, and a message about it',
    render: () => [
      { role: 'user', content: image },
      { role: 'user', content: { type: 'text', text: 'Please analyze the image above.' } },
    ],
  }),
];
