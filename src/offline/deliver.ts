/** Delivers a queue to the server: who sends, and who asks whether it is really there. */
import { drain, type Drained, type DrainPorts } from './drain.ts';
import { probe, send, type Line } from './send.ts';

export type DeliveryPorts = Omit<DrainPorts, 'send' | 'probe'>;
export type Deliver = (ports: DeliveryPorts, line: Line) => Promise<Drained>;

export const deliver: Deliver = (ports, line) =>
  drain({
    ...ports,
    send: (entry, token) => send(line, entry, token),
    probe: () => probe(line),
  });
