/** The error catalogue: every code and its HTTP status. Texts for the screen are in src/format. */
import type { FieldIssue } from './error-reply.ts';

/**
 * Code → HTTP status. The English sentence for each is in `src/format/error-text.ts`, the server's in
 * `message`.
 */
export const ERROR_STATUS = {
  invalid_request: 400,
  invalid_subscription_parameters: 400,
  invalid_agent_id: 400,
  invalid_parameter: 400,
  idempotency_key_required: 400,
  no_price_id: 400,
  unknown_symbol: 400,
  wrong_quote: 400,
  invalid_signature: 400,
  /** Signed was something other than what this server made for this person, address and chain. */
  link_message_refused: 400,
  not_authenticated: 401,
  no_token: 401,
  invalid_token_structure: 401,
  invalid_token_claims: 401,
  invalid_token_issuer: 401,
  invalid_token: 401,
  reauth_required: 401,
  token_revoked: 401,
  payment_required: 402,
  invalid_user_id: 403,
  insufficient_permissions: 403,
  agent_cap_reached: 403,
  alert_limit_reached: 403,
  plan_lapsed: 403,
  /** A live start was not confirmed, or no longer counts. */
  step_up_required: 403,
  trading_disabled: 403,
  forbidden_origin: 403,
  /** The sign-in counts, but is too old for what was asked. */
  recent_sign_in_required: 403,
  not_found: 404,
  method_not_allowed: 405,
  agent_holds_positions: 409,
  agent_changed: 409,
  alert_changed: 409,
  settings_changed: 409,
  trial_used: 409,
  already_subscribed: 409,
  /** Another checkout, or a change of account or plan, came between. */
  checkout_outdated: 409,
  position_closed: 409,
  referral_refused: 409,
  support_request_closed: 409,
  insufficient_cash: 409,
  connection_ended: 409,
  /** The exchange or the person has to end something first. */
  live_orders_open: 409,
  /** The account does not lack the coins, or that is not known now; the sentence says which. */
  write_off_refused: 409,
  link_message_used: 409,
  address_linked_elsewhere: 409,
  address_limit_reached: 409,
  onramp_not_configured: 409,
  command_lapsed: 410,
  link_message_expired: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_mismatch: 422,
  /** The onramp's provider would not do it: a country, a coin, an amount. */
  onramp_refused: 422,
  /** The signer would not do it; the sentence says why. */
  signer_refused: 422,
  contract_too_old: 426,
  rate_limited: 429,
  /** So often a day and no more; when it is possible again is in the sentence. */
  limit_reached: 429,
  internal: 500,
  market_unavailable: 503,
  pools_unavailable: 503,
  agents_unavailable: 503,
  wallet_unavailable: 503,
  /** The chain could not be asked, so that nothing is known of a contract's signature. */
  chain_unavailable: 503,
  onramp_unavailable: 503,
  /** The process that holds exchange keys, or the exchange, cannot be reached. */
  signer_unavailable: 503,
  subscription_unavailable: 503,
  identity_unavailable: 503,
  database_unavailable: 503,
  /** So many ask for so much at once that this finds no place. Commands always find one. */
  server_busy: 503,
  shutting_down: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** An expected failure on its way to becoming an `ErrorReply`. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly more: {
      field?: string;
      issues?: FieldIssue[];
      retryAfterMs?: number;
      details?: Record<string, unknown>;
    } = {},
  ) {
    super(message);
    this.status = ERROR_STATUS[code];
  }
}
