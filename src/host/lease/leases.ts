/** The leases of a host: the gate opens one for each act whose record is written, and connections check them before they send. */
import { McpError } from '../../errors.ts';
import { isObject, type JsonObject, type RpcRequest, type RpcResponse } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import type { Act, ActKind } from '../act/act.ts';
import { answerKinds, listensOnlyToTasksOf } from './act-messages.ts';
import { hasOnlyAllowedValues, isDeclined } from './answer-values.ts';
import { type AnswerPermissions, Lease } from './lease.ts';

/** Limit of permitted answers that were not sent yet. Beyond it, the oldest are dropped. */
const MAX_ANSWERS = 100;

const openingKinds: readonly ActKind[] = ['spawn', 'connect'];
const answeringKinds: readonly ActKind[] = [...answerKinds.values(), 'visit'];
/** Whether an act answers a server. A prompt for a model goes to no server, and a page that a view opens answers no question. */
const isAnswer = ({ kind, name, by }: Act): boolean =>
  answeringKinds.includes(kind) && by === undefined && !(kind === 'sampling' && name === 'request');

/** Running acts that send identical requests. */
interface IdenticalActs {
  /** The lease of each running act. */
  readonly open: Set<Lease>;
  /** These leases, and those of ended acts that a running one may still need. */
  readonly leases: Set<Lease>;
}

/** Acts with the same key send identical requests. User and session are not in the key, because no request contains them. */
const requestKey = ({ kind, name, arguments: args, meta }: Act): string => canonicalJson({ kind, name, args, meta });

/** The leases of one server. */
class ServerLeases implements AnswerPermissions {
  /** Acts that opened the server. Without one, nothing can be sent to it. */
  readonly openings: Set<Act> = new Set();
  readonly calls: Set<Lease> = new Set();
  readonly #identical: Map<string, IdenticalActs> = new Map();
  readonly onEnd: Set<() => void> = new Set();
  answers: readonly Act[] = [];

  begin(lease: Lease): void {
    const key = requestKey(lease.act);
    const identical = this.#identical.get(key) ?? { open: new Set(), leases: new Set() };
    this.#identical.set(key, identical);
    identical.open.add(lease);
    identical.leases.add(lease);
    this.calls.add(lease);
  }

  /**
   * Ends the act of a lease. Which of several identical acts sent a request is unknown: it may have passed with the lease of another one.
   * Therefore a lease that has sent stays until it is used up or the last of these acts ends; of the others, as many stay as acts still run.
   */
  end(lease: Lease): void {
    const key = requestKey(lease.act);
    const identical = this.#identical.get(key);
    if (identical === undefined) return;
    const { open, leases } = identical;
    open.delete(lease);
    const unsent = [...leases].filter(({ hasSent }) => !hasSent).slice(open.size);
    const ended = [...leases].filter(({ isUsedUp }) => open.size === 0 || isUsedUp);
    for (const one of [...unsent, ...ended]) {
      leases.delete(one);
      this.calls.delete(one);
    }
    if (open.size === 0) this.#identical.delete(key);
  }

  useAnswer({ method, params }: JsonObject, answer: unknown): boolean {
    if (isDeclined(answer)) return true;
    const kind = answerKinds.get(String(method));
    const question = isObject(params) ? params : {};
    const isFor = (act: Act): boolean =>
      act.kind === kind || (act.kind === 'visit' && kind === 'elicitation' && question['url'] === act.name);
    return this.#use(this.answers.find((act) => isFor(act) && hasOnlyAllowedValues(answer, act.arguments, question)));
  }

  /** Uses up the permissions for all URLs, or none if one is missing. */
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

  /**
   * Permits an act until `close` is called. After a successful close, a connection that it opened stays open, and an answer that it
   * permits can still be sent.
   */
  open(act: Act): { close(succeeded: boolean): void } {
    const leases = this.#leasesOf(act.server);
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

  /** Whether a running act has become this task. */
  hasTask(server: string, taskId: string): boolean {
    return [...this.#leasesOf(server).calls].some((lease) => lease.taskId === taskId);
  }

  /** Revokes all permissions of a server and closes its connections. */
  endServer(server: string): void {
    const leases = this.#servers.get(server);
    this.#servers.delete(server);
    for (const listener of [...(leases?.onEnd ?? [])]) listener();
  }

  onEnd(server: string, listener: () => void): () => void {
    const { onEnd } = this.#leasesOf(server);
    onEnd.add(listener);
    return () => onEnd.delete(listener);
  }

  /** Throws unless an act has opened the server. */
  requireOpen(server: string, what: string): void {
    if (this.#leasesOf(server).openings.size === 0)
      throw denial(what, server, 'no permitted action has opened this server');
  }

  /** Admits one request, or throws. Call the returned function with the response, or undefined if the request failed. */
  admit(server: string, request: RpcRequest): (response: RpcResponse | undefined) => void {
    this.requireOpen(server, request.method);
    const leases = this.#leasesOf(server);
    if (listensOnlyToTasksOf([...leases.calls], request)) return () => undefined;
    for (const lease of leases.calls) {
      const settle = lease.admit(request, leases);
      if (settle !== undefined) return settle;
    }
    throw denial(request.method, server, 'no action with this name and these arguments is permitted');
  }

  /** Uses up the permission for an answer to a request of the server. Returns false without permission. */
  useAnswer(server: string, question: JsonObject, answer: unknown): boolean {
    const leases = this.#leasesOf(server);
    return leases.openings.size > 0 && leases.useAnswer(question, answer);
  }

  #leasesOf(server: string): ServerLeases {
    const leases = this.#servers.get(server) ?? new ServerLeases();
    this.#servers.set(server, leases);
    return leases;
  }
}

export const denial = (what: string, server: string, why: string): McpError =>
  new McpError('MCP_DENIED', { what: `${what} to ${server}`, why, rule: 'none', id: 'none' });
