/** Delivers a queue to the server: who sends, who asks whether it is really there, and whose turn it is. */
import { alone } from './drain-lock.ts';
import { drain, type Drained, type DrainPorts } from './drain.ts';
import { probe, send, type Line } from './send.ts';

export type DeliveryPorts = Omit<DrainPorts, 'send' | 'probe' | 'alone'>;
export type Deliver = (ports: DeliveryPorts, line: Line) => Promise<Drained>;

export const deliver: Deliver = (ports, line) =>
  drain({
    ...ports,
    alone,
    send: (entry, token) => send(line, entry, token),
    probe: () => probe(line),
  });
