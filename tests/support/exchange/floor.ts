/** What a look-up may see of orders and fills: some are hidden for a while, and some fills are late. */
import type { Floor } from './dialect.ts';
import type { FaultRunner } from './fault-runner.ts';
import type { Fill, StandInOrder } from './orders.ts';

type Ground = Pick<Floor, 'clock' | 'core' | 'prices' | 'accounts' | 'instruments' | 'ids' | 'hub'>;

export function floorOf(ground: Ground, faults: FaultRunner): Floor {
  const { core, hub } = ground;
  const shownOrders = (account: string): StandInOrder[] =>
    core.ordersOf(account).filter((order) => !core.isHidden(order));
  return {
    ...ground,
    shownOrders,
    shownFills: (account): Fill[] => {
      const fills = shownOrders(account)
        .flatMap((order) => order.fills)
        .filter((fill) => !hub.isFillLate(fill.id))
        .sort((a, b) => a.number - b.number);
      const told = hub.isOn('fills-twice') ? fills.flatMap((fill) => [fill, fill]) : fills;
      return hub.isOn('out-of-order') ? told.reverse() : told;
    },
    shownByClientId: (account, clientOrderId) =>
      shownOrders(account).findLast((order) => order.clientOrderId === clientOrderId) ?? null,
    shownById: (account, id) => {
      const order = core.orders.get(id);
      return order?.account === account && !core.isHidden(order) ? order : null;
    },
    beforeCancel: (account, id) => {
      faults.beforeCancel(account, id);
    },
  };
}
