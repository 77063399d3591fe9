/**
 * Agents on the wire: what a user may request, and what the server replies. Unknown fields are
 * rejected.
 */
import * as z from 'zod/mini';
import { LIVE_EXCHANGES } from './exchanges.ts';
import { EntriesOff } from './halts.ts';
import { AGENT_NAME_MAX, AGENT_PAIRS_MAX, POSITION_SIZE_MAX, POSITION_SIZE_MIN } from './limits.ts';
import { DecimalText } from './decimal-text.ts';
import { POOL_IDS } from './pools.ts';
import { PAIR } from './text-forms.ts';
import { Tested } from './backtest-record.ts';
import { Tier } from './permission.ts';

const REQUIRED = 'Required';

const Name = z.string().check(
  z.minLength(1, REQUIRED),
  z.maxLength(AGENT_NAME_MAX, `At most ${AGENT_NAME_MAX} characters`),
  z.regex(/^[\p{L}\p{N}\s_-]*$/u, 'Only letters, digits, spaces, hyphens and underscores'),
  z.refine((text) => text.trim() !== '', REQUIRED),
);

export const Pair = z.string().check(z.regex(PAIR, 'Enter a pair such as BTC/USDT'));
export const RiskProfile = z.enum(['Conservative', 'Moderate', 'Aggressive'], {
  error: 'Conservative, Moderate or Aggressive',
});
export type RiskProfile = z.infer<typeof RiskProfile>;
export const ExecutionInterval = z.enum(['5-minute', '20-minute', 'daily'], {
  error: '5-minute, 20-minute or daily',
});
export type ExecutionInterval = z.infer<typeof ExecutionInterval>;
export const PositionSize = z
  .number({
    error: ({ input }) => (input === undefined ? REQUIRED : 'A number from 1 to 1,000,000'),
  })
  .check(z.gte(POSITION_SIZE_MIN, 'At least 1'), z.lte(POSITION_SIZE_MAX, 'At most 1,000,000'));
export const PoolId = z.enum(POOL_IDS, { error: 'Unknown pool' });
export type PoolId = z.infer<typeof PoolId>;
export const TradingFrequency = z.enum(
  ['daily', 'weekly', 'bi-weekly', 'monthly', 'optimized', 'high', 'long-haul'],
  {
    error: 'daily, weekly, bi-weekly, monthly, optimized, high or long-haul',
  },
);
export type TradingFrequency = z.infer<typeof TradingFrequency>;
export const UserRiskProfile = z.enum(['conservative', 'moderate', 'aggressive'], {
  error: 'conservative, moderate or aggressive',
});
export type UserRiskProfile = z.infer<typeof UserRiskProfile>;

export const TradingPairs = z
  .array(Pair)
  .check(z.maxLength(AGENT_PAIRS_MAX, `At most ${AGENT_PAIRS_MAX} pairs`));

export const AgentSettingsBody = z.strictObject({
  risk_profile: RiskProfile,
  max_position_size: PositionSize,
  execution_interval: ExecutionInterval,
  enabled: z.boolean({ error: 'true or false' }),
  /** The settings version this edit was made on; a different one on the server answers 409. */
  version: z.optional(z.int()),
  /** What these terms were tested with, where they were. */
  tested: z.optional(Tested),
  /** Of a live agent: whether it has a twin on paper. Absent leaves it as it is. */
  shadow: z.optional(z.boolean()),
});
export type AgentSettingsBody = z.infer<typeof AgentSettingsBody>;

/**
 * `keep`: the edit leaves the agent running or stopped as it is, and the `enabled` of its body is only
 * what was last seen. It is in the query because a server that does not know it ignores it there.
 */
export const AgentSettingsQuery = z.object({ enabled: z.optional(z.literal('keep')) });
export type AgentSettingsQuery = z.infer<typeof AgentSettingsQuery>;

export const AgentCreateBody = z.strictObject({
  name: Name,
  trading_pairs: TradingPairs,
  risk_profile: RiskProfile,
  max_position_size: PositionSize,
  execution_interval: ExecutionInterval,
  enabled: z.boolean({ error: 'true or false' }),
  /**
   * Without a pool an agent runs `all_pools` over its own pairs; with one, no pairs means the
   * pool's universe.
   */
  pool: z.optional(PoolId),
  trading_frequency: z.optional(TradingFrequency),
  tested: z.optional(Tested),
  /** The exchange account it trades, for good; on paper where it is absent. */
  connectionId: z.optional(z.string().check(z.maxLength(64))),
  /** With `connectionId`: a twin on paper beside it, which starts and stops with it. */
  shadow: z.optional(z.boolean()),
});
export type AgentCreateBody = z.infer<typeof AgentCreateBody>;

/** `subscription_tier` must be the caller's own. */
export const PoolCreateBody = z.strictObject({
  subscription_tier: Tier,
  risk_profile: z._default(UserRiskProfile, 'moderate'),
  trading_frequency: z._default(TradingFrequency, 'optimized'),
});
export type PoolCreateBody = z.infer<typeof PoolCreateBody>;

export const ReconfigureBody = z.strictObject({
  risk_profile: UserRiskProfile,
  trading_frequency: TradingFrequency,
});
export type ReconfigureBody = z.infer<typeof ReconfigureBody>;

export const AgentStatus = z.enum(['stopped', 'running', 'halted', 'faulted']);
export type AgentStatus = z.infer<typeof AgentStatus>;

/** What an agent trades: paper, or an exchange account with real money, for good. */
export const AgentAccount = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('paper') }),
  z.object({
    kind: z.literal('live'),
    connectionId: z.string(),
    exchange: z.enum(LIVE_EXCHANGES),
    label: z.string(),
    quote: z.string(),
  }),
]);
export type AgentAccount = z.infer<typeof AgentAccount>;

/**
 * What an exchange charged in another coin than the quote currency. One in the coin that was traded
 * is in the result, as fewer coins; one in a third coin is in no result.
 */
export const OtherFee = z.object({
  asset: z.string(),
  amount: DecimalText,
  inResult: z.boolean(),
});
export type OtherFee = z.infer<typeof OtherFee>;

/**
 * An agent as the server knows it. `enabled` is the person's wish, `status` what is so. Times are
 * milliseconds UTC; `lastRunAt` and `nextRunAt` are on the market clock, the others on the wall
 * clock.
 */
export const Agent = z.object({
  id: z.string(),
  name: z.string(),
  /** What it trades now: its own pairs or its pool's list, as far as the market offers them. */
  trading_pairs: z.array(z.string()),
  /** The pairs that were chosen; none where it trades its pool's list. */
  ownPairs: z.optional(z.array(z.string())),
  risk_profile: RiskProfile,
  max_position_size: z.number(),
  execution_interval: ExecutionInterval,
  enabled: z.boolean(),
  pool: PoolId,
  tradingFrequency: TradingFrequency,
  status: AgentStatus,
  /**
   * Why and until when, for `halted` and `faulted`. `until` is on the market clock; null means
   * until started again.
   */
  hold: z.nullable(z.object({ code: z.string(), text: z.string(), until: z.nullable(z.number()) })),
  /** Grows with every start, stop, fault or edit; a queued start names the one that was seen. */
  generation: z.number(),
  version: z.number(),
  quote: z.string(),
  /** The exchange account it trades with real money; absent on paper. */
  connectionId: z.optional(z.string()),
  /** Absent in replies kept from before, and then paper: `accountOf` says it. */
  account: z.optional(AgentAccount),
  /** Of a live agent: its twin on paper. */
  shadow: z.optional(z.object({ agentId: z.string() })),
  /** Of a twin on paper: the live agent it runs beside, and starts and stops with. */
  shadowOf: z.optional(z.string()),
  openPositions: z.number(),
  realized: DecimalText,
  unrealized: DecimalText,
  /** In quote currency. */
  fees: DecimalText,
  /** Absent where there were none, as on paper. */
  otherFees: z.optional(z.array(OtherFee)),
  /** realized + unrealized; both are net of fees already paid, but those in a third coin. */
  total: DecimalText,
  createdAt: z.number(),
  startedAt: z.nullable(z.number()),
  stoppedAt: z.nullable(z.number()),
  lastRunAt: z.nullable(z.number()),
  nextRunAt: z.nullable(z.number()),
});
export type Agent = z.infer<typeof Agent>;

/** When an agent last looked and looks next, on the market clock, ms. */
export const AgentRun = z.object({
  id: z.string(),
  lastRunAt: z.nullable(z.number()),
  nextRunAt: z.nullable(z.number()),
});
export type AgentRun = z.infer<typeof AgentRun>;

/**
 * `entriesOff`: what keeps the person's agents from opening anything now, widest first; absent in a
 * list kept by an older app.
 */
export const AgentList = z.object({
  agents: z.array(Agent),
  sequence: z.number(),
  asOf: z.number(),
  entriesOff: z.optional(z.array(EntriesOff)),
});
export type AgentList = z.infer<typeof AgentList>;

export const AgentReply = z.object({ commandId: z.string(), agent: Agent });
export type AgentReply = z.infer<typeof AgentReply>;

export const AgentsCreatedReply = z.object({ commandId: z.string(), agents: z.array(Agent) });
export type AgentsCreatedReply = z.infer<typeof AgentsCreatedReply>;

/**
 * Start and stop carry what the person saw. `requestedAt` is the device's clock at the press, in
 * ms; `ageMs` is how long the command waited on the device, which the server trusts over the
 * clocks.
 */
export const AgentCommandBody = z.strictObject({
  seenGeneration: z.optional(z.int()),
  requestedAt: z.optional(z.number()),
  ageMs: z.optional(z.number().check(z.gte(0))),
  /** The person was shown that the agent or the time had changed, and still wants it. */
  confirmed: z.optional(z.boolean()),
  /** A start alone: what the agent was tested with before it. */
  tested: z.optional(Tested),
});
export type AgentCommandBody = z.infer<typeof AgentCommandBody>;

/** start-all means the agents the person saw; stop-all means all, whatever is listed. */
export const AllAgentsCommandBody = z.strictObject({
  agents: z.optional(
    z
      .array(z.strictObject({ id: z.string(), seenGeneration: z.optional(z.int()) }))
      .check(z.maxLength(100)),
  ),
  requestedAt: z.optional(z.number()),
  ageMs: z.optional(z.number().check(z.gte(0))),
  confirmed: z.optional(z.boolean()),
});
export type AllAgentsCommandBody = z.infer<typeof AllAgentsCommandBody>;

const CommandOutcome = z.enum(['started', 'stopped', 'unchanged', 'refused']);

/**
 * A command's receipt: it echoes the Idempotency-Key, without which a client must not take it for
 * delivered.
 */
export const AgentCommandReply = z.object({
  commandId: z.string(),
  outcome: CommandOutcome,
  agent: Agent,
});
export type AgentCommandReply = z.infer<typeof AgentCommandReply>;

export const AllAgentsCommandReply = z.object({
  commandId: z.string(),
  results: z.array(
    z.object({
      agentId: z.string(),
      outcome: CommandOutcome,
      code: z.optional(z.string()),
      message: z.optional(z.string()),
    }),
  ),
  agents: z.array(Agent),
});
export type AllAgentsCommandReply = z.infer<typeof AllAgentsCommandReply>;

export const DecisionAction = z.enum(['enter', 'exit', 'hold', 'skip']);

/**
 * Why an agent did or did not act on one pair at one closed candle. `reason` is a code that
 * `src/format` words.
 */
export const Decision = z.object({
  id: z.string(),
  agentId: z.string(),
  pair: z.string(),
  tickId: z.string(),
  at: z.number(),
  action: DecisionAction,
  reason: z.string(),
  /**
   * Signal strength c in [0, 1], and the threshold it was held against; null where no signal was
   * computed.
   */
  strength: z.nullable(z.number()),
  threshold: z.nullable(z.number()),
  text: z.string(),
});
export type Decision = z.infer<typeof Decision>;

/** What the agents of one exchange account came to, in its quote currency. Real money. */
export const LiveTotals = z.object({
  connectionId: z.string(),
  exchange: z.enum(LIVE_EXCHANGES),
  label: z.string(),
  quote: z.string(),
  total: z.number(),
  running: z.number(),
  openPositions: z.number(),
  /** Of what agents hold, at present prices; at cost where there is none. */
  value: DecimalText,
  realized: DecimalText,
  unrealized: DecimalText,
  fees: DecimalText,
});
export type LiveTotals = z.infer<typeof LiveTotals>;

/** Paper agents alone, except `cap`, which counts every agent; real money is in `live`. */
export const AgentSummary = z.object({
  total: z.number(),
  running: z.number(),
  stopped: z.number(),
  halted: z.number(),
  faulted: z.number(),
  openPositions: z.number(),
  cap: z.number(),
  quote: z.string(),
  realized: DecimalText,
  unrealized: DecimalText,
  fees: DecimalText,
  totalProfit: DecimalText,
  asOf: z.number(),
  /** One for each exchange account with agents; absent in replies kept from before. */
  live: z.optional(z.array(LiveTotals)),
});
export type AgentSummary = z.infer<typeof AgentSummary>;
