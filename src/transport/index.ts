/** The entry point `mooring/transport`: for authors of transports. */
export type {
  Id,
  JsonObject,
  Message,
  RpcFailure,
  RpcNotification,
  RpcRequest,
  RpcResponse,
  RpcSuccess,
} from '../jsonrpc/message.ts';
export { faultOf, parse } from '../jsonrpc/read.ts';
export { type Clock, systemClock } from '../peer/clock.ts';
export { Duplex, type DuplexOptions } from '../peer/duplex.ts';
export {
  type Connection,
  type CredentialsInUse,
  type Exchange,
  type Layer,
  type Link,
  linkWith,
  type Servable,
  type ServedConversation,
  type ServerPush,
  type Transport,
} from '../peer/exchange.ts';
export type { PeerSession } from '../peer/session.ts';
export { type Command, childTransport } from './child.ts';
export { type LineFault, Lines, type LinesOptions } from './lines.ts';
export { memoryTransport } from './memory.ts';
