/** What makes a client's answer to a question unusable. */
import { isObject } from '../../jsonrpc/message.ts';
import type { Question } from '../contract.ts';

const actions: readonly unknown[] = ['accept', 'decline', 'cancel'];

export function answerFault(method: Question['method'], answer: unknown): string | undefined {
  if (!isObject(answer)) return 'must be an object';
  if (method === 'roots/list') return Array.isArray(answer['roots']) ? undefined : 'must have a list of "roots"';
  if (method === 'sampling/createMessage') {
    const { role, content, model } = answer;
    const spoken = role === 'user' || role === 'assistant';
    const whole = (Array.isArray(content) ? content : [content]).every(isBlock);
    return spoken && whole && typeof model === 'string' ? undefined : 'must have "role", "content" and "model"';
  }
  if (!actions.includes(answer['action'])) return 'must have an "action": accept, decline or cancel';
  const content = answer['content'];
  return content === undefined || isObject(content) ? undefined : 'has a "content" that is no object';
}

const isBlock = (block: unknown): boolean => isObject(block) && typeof block['type'] === 'string';
