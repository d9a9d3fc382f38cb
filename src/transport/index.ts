/** What it takes to write another transport. */
export type { Failure, Id, JsonObject, Message, Notification, Request, Response, Success } from '../jsonrpc/message.ts';
export { faultOf, parse } from '../jsonrpc/read.ts';
export { type Clock, systemClock } from '../peer/clock.ts';
export { Duplex, type DuplexOptions } from '../peer/duplex.ts';
export {
  type CredentialsInUse,
  type Dialer,
  type Exchange,
  type Layer,
  type Line,
  type Link,
  linkWith,
  type Outlet,
  type Servable,
  type Served,
} from '../peer/exchange.ts';
export type { Session } from '../peer/session.ts';
export { type Command, childDialer } from './child.ts';
export { type LineFault, Lines, type LinesOptions } from './lines.ts';
export { memoryDialer } from './memory.ts';
