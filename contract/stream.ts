/** The server-sent events and what each carries. */
import * as z from 'zod/mini';
import { Agent, AgentRun } from './agents.ts';
import { Alert, AlertFiring } from './alerts.ts';
import { EntriesOff } from './halts.ts';
import { LiveAlarmWire, LiveConnection, LiveOrderWire } from './live-state.ts';
import { MarketSource, PriceBar, SymbolQuote } from './market.ts';
import { Fill, Portfolio } from './trading.ts';

/**
 * `hello` opens every stream with the person's present sequence. `ticks` is lossy: the newest of
 * each symbol that changed or became stale since the last; `portfolio.marked` and `agents.ran` (looks that changed
 * nothing else) are lossy too. The others carry the person's own sequence, without gaps; a gap asks
 * for a fresh read.
 */
export const StreamEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    sequence: z.number(),
    serverTime: z.number(),
    marketTime: z.number(),
    source: MarketSource,
  }),
  z.object({
    type: z.literal('heartbeat'),
    serverTime: z.number(),
    marketTime: z.number(),
    sequence: z.number(),
  }),
  z.object({
    type: z.literal('ticks'),
    now: z.number(),
    symbols: z.array(SymbolQuote),
    /**
     * Bars that the newest price alone does not tell: a new one, one that closed since the last
     * event, or an extreme between two events.
     */
    bars: z.optional(z.record(z.string(), z.array(PriceBar))),
  }),
  /** `waitedMs`: it was stopped by a command that had waited this long on a device. */
  z.object({
    type: z.literal('agent.changed'),
    sequence: z.number(),
    agent: Agent,
    waitedMs: z.optional(z.number()),
  }),
  z.object({ type: z.literal('agents.ran'), agents: z.array(AgentRun) }),
  /** The whole of it, whenever it changes; lossy like the looks. */
  z.object({ type: z.literal('entries.off'), off: z.array(EntriesOff) }),
  z.object({ type: z.literal('agent.deleted'), sequence: z.number(), agentId: z.string() }),
  z.object({ type: z.literal('fill.recorded'), sequence: z.number(), fill: Fill }),
  z.object({ type: z.literal('portfolio.changed'), sequence: z.number() }),
  z.object({ type: z.literal('portfolio.marked'), portfolio: Portfolio }),
  z.object({ type: z.literal('subscription.changed'), sequence: z.number() }),
  z.object({ type: z.literal('settings.changed'), sequence: z.number() }),
  z.object({ type: z.literal('alert.changed'), sequence: z.number(), alert: Alert }),
  z.object({ type: z.literal('alert.deleted'), sequence: z.number(), alertId: z.string() }),
  z.object({
    type: z.literal('alert.fired'),
    sequence: z.number(),
    alert: Alert,
    firing: AlertFiring,
  }),
  /** An order at an exchange as it is now. `resolved`: its outcome had been unknown to the person. */
  z.object({
    type: z.literal('live_order'),
    sequence: z.number(),
    connectionId: z.string(),
    order: LiveOrderWire,
    resolved: z.optional(z.boolean()),
  }),
  /** An exchange account as it is now; `raised`: alarms that are new with it. */
  z.object({
    type: z.literal('live_connection'),
    sequence: z.number(),
    connection: LiveConnection,
    raised: z.array(LiveAlarmWire),
  }),
  z.object({ type: z.literal('session.ended'), reason: z.string() }),
]);
export type StreamEvent = z.infer<typeof StreamEvent>;
