/** The leases of a host: the gate opens one for each act whose record is written, and connections ask them before a byte leaves. */
import { McpError } from '../../errors.ts';
import { isObject, type JsonObject, type RpcRequest, type RpcResponse } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import type { Act, ActKind } from '../act/act.ts';
import { answerKinds, listensTo } from './act-messages.ts';
import { isDeclined, saysOnly } from './answer-values.ts';
import { type AnswerPermissions, Lease } from './lease.ts';

/** Answers that were allowed and never sent are forgotten, the oldest first. */
const MAX_ANSWERS = 100;

const openingKinds: readonly ActKind[] = ['spawn', 'connect'];
const answering: readonly ActKind[] = [...answerKinds.values(), 'visit'];
/** What a model is asked goes to no server, and a page that a view opens answers no question. */
const isAnswer = ({ kind, name, by }: Act): boolean =>
  answering.includes(kind) && by === undefined && !(kind === 'sampling' && name === 'request');

/** Acts under way that send the same, and their leases. */
interface SameActs {
  /** By the lease of each. */
  readonly open: Set<Lease>;
  readonly leases: Set<Lease>;
}

/** Nothing on the way to the server says whose act it is: neither the user nor the session is in it. */
const sentBy = ({ kind, name, arguments: args, meta }: Act): string => canonicalJson({ kind, name, args, meta });

/** What is allowed with one server. */
class ServerLeases implements AnswerPermissions {
  /** Acts that opened a connection: while there is one, the server may be talked to. */
  readonly openings: Set<Act> = new Set();
  readonly calls: Set<Lease> = new Set();
  readonly #same: Map<string, SameActs> = new Map();
  readonly onEnd: Set<() => void> = new Set();
  answers: readonly Act[] = [];

  begin(lease: Lease): void {
    const key = sentBy(lease.act);
    const same = this.#same.get(key) ?? { open: new Set(), leases: new Set() };
    this.#same.set(key, same);
    same.open.add(lease);
    same.leases.add(lease);
    this.calls.add(lease);
  }

  /**
   * Which of several acts sent a request cannot be told where they send the same: it may have passed with the lease of another one. So
   * a lease with which something was sent stays until the last of them has ended, and of the others as many as acts that are under way.
   */
  end(lease: Lease): void {
    const key = sentBy(lease.act);
    const same = this.#same.get(key);
    if (same === undefined) return;
    const { open, leases } = same;
    open.delete(lease);
    const unsent = [...leases].filter(({ hasSent }) => !hasSent).slice(open.size);
    const over = [...leases].filter(({ isUsedUp }) => open.size === 0 || isUsedUp);
    for (const one of [...unsent, ...over]) {
      leases.delete(one);
      this.calls.delete(one);
    }
    if (open.size === 0) this.#same.delete(key);
  }

  useAnswer({ method, params }: JsonObject, answer: unknown): boolean {
    if (isDeclined(answer)) return true;
    const kind = answerKinds.get(String(method));
    const question = isObject(params) ? params : {};
    const isFor = (act: Act): boolean =>
      act.kind === kind || (act.kind === 'visit' && kind === 'elicitation' && question['url'] === act.name);
    return this.#use(this.answers.find((act) => isFor(act) && saysOnly(answer, act.arguments, question)));
  }

  /** All of them or none. */
  useVisits(urls: readonly unknown[]): boolean {
    const found = urls.map((url) => this.answers.find(({ kind, name }) => kind === 'visit' && name === url));
    return found.includes(undefined) ? false : this.#use(...found);
  }

  #use(...used: readonly (Act | undefined)[]): boolean {
    this.answers = this.answers.filter((one) => !used.includes(one));
    return !used.includes(undefined);
  }
}

export class Leases {
  readonly #servers: Map<string, ServerLeases> = new Map();

  /** The act may be done until it is closed. A connection stays open after that, and an answer may be sent when it is ready. */
  open(act: Act): { close(succeeded: boolean): void } {
    const leases = this.#of(act.server);
    const lease = new Lease(act);
    const isOpening = openingKinds.includes(act.kind);
    if (isOpening) leases.openings.add(act);
    else if (isAnswer(act)) leases.answers = [...leases.answers.slice(1 - MAX_ANSWERS), act];
    else leases.begin(lease);
    return {
      close: (succeeded) => {
        if (!isOpening && !isAnswer(act)) leases.end(lease);
        if (succeeded) return;
        leases.openings.delete(act);
        leases.answers = leases.answers.filter((one) => one !== act);
      },
    };
  }

  /** Whether an act that is under way has become this task. */
  hasTask(server: string, taskId: string): boolean {
    return [...this.#of(server).calls].some((lease) => lease.taskId === taskId);
  }

  /** The server may no longer be talked to; its connections are closed. */
  endServer(server: string): void {
    const leases = this.#servers.get(server);
    this.#servers.delete(server);
    for (const listener of [...(leases?.onEnd ?? [])]) listener();
  }

  onEnd(server: string, listener: () => void): () => void {
    const { onEnd } = this.#of(server);
    onEnd.add(listener);
    return () => onEnd.delete(listener);
  }

  /** Throws where the server may not be talked to at all. */
  requireOpen(server: string, what: string): void {
    if (this.#of(server).openings.size === 0) throw denial(what, server, 'no act has opened this server');
  }

  /** Lets one request pass, or throws. The returned function takes the response, undefined where none came. */
  take(server: string, request: RpcRequest): (response: RpcResponse | undefined) => void {
    this.requireOpen(server, request.method);
    const leases = this.#of(server);
    if (listensTo(request, [...leases.calls])) return () => undefined;
    for (const lease of leases.calls) {
      const settle = lease.take(request, leases);
      if (settle !== undefined) return settle;
    }
    throw denial(request.method, server, 'no act with this name and these arguments is allowed');
  }

  /** Whether an answer to a question of the server may be sent. Its permission is used up. */
  useAnswer(server: string, question: JsonObject, answer: unknown): boolean {
    const leases = this.#of(server);
    return leases.openings.size > 0 && leases.useAnswer(question, answer);
  }

  #of(server: string): ServerLeases {
    const leases = this.#servers.get(server) ?? new ServerLeases();
    this.#servers.set(server, leases);
    return leases;
  }
}

export const denial = (what: string, server: string, why: string): McpError =>
  new McpError('MCP_DENIED', { what: `${what} to ${server}`, why, rule: 'none', id: 'none' });
