/** Agent ticks per second through the real scheduler and a real database, on a made tape. */
import { fills } from '../../server/db/schema.ts';
import { AGGRESSIVE, openFloor } from './trading.ts';

export interface AgentTicks {
  agents: number;
  ticks: number;
  /** Agents run, over all ticks; equals agents × ticks where none was left out. */
  ran: number;
  trades: number;
  seconds: number;
  perSecond: number;
  /** Of this process's own processor time, so that a busy machine does not hide a change. */
  perCpuSecond: number;
}

/**
 * `agents` momentum agents of 25 to a person, over `ticks` closes after one that warms up. In
 * memory unless a database is given.
 */
export async function measureAgentTicks(
  agents = 200,
  ticks = 10,
  database?: Parameters<typeof openFloor>[1],
): Promise<AgentTicks> {
  const floor = await openFloor({ candles: ticks + 5 }, database);
  for (let made = 0; made < agents; made += 1) {
    const uid = `bench${Math.floor(made / 25)}`;
    if (made % 25 === 0) await floor.join(uid);
    await floor.call(uid, 'createAgent', { body: { ...AGGRESSIVE, max_position_size: 100 } });
  }
  const scheduler = floor.scheduler();
  await scheduler.open();
  await floor.run(scheduler, 1);
  const begun = performance.now();
  const cpu = process.cpuUsage();
  let ran = 0;
  for (let tick = 0; tick < ticks; tick += 1) {
    floor.market.step();
    ran += (await scheduler.runOnce()).agents;
  }
  const seconds = (performance.now() - begun) / 1_000;
  const used = process.cpuUsage(cpu);
  await scheduler.stop();
  const trades = (await floor.database.db.select({ id: fills.id }).from(fills)).length;
  if (floor.errors.length > 0) throw new Error(floor.errors[0]);
  if (database === undefined) await floor.close();
  return {
    agents,
    ticks,
    ran,
    trades,
    seconds,
    perSecond: ran / seconds,
    perCpuSecond: ran / ((used.user + used.system) / 1_000_000),
  };
}
