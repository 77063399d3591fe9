/** The sentence shown for every error code. A code without one does not compile. */
import type { ErrorCode } from '../../contract/errors.ts';
import { ALERTS_MAX } from '../../contract/limits.ts';
import { ApiError, type ApiErrorCode } from '../api/api-error.ts';

/**
 * What happened, what is safe, what to do. The server's own sentence is preferred where it names a
 * field or an amount.
 */
export const ERROR_TEXT: Readonly<Record<ApiErrorCode, string>> = {
  invalid_request: 'Some of your entries are not valid. Check them and try again.',
  invalid_subscription_parameters: 'Invalid subscription parameters',
  invalid_agent_id: 'Invalid agent ID',
  invalid_parameter: 'A value is empty after removing unsafe characters. Enter a different one.',
  idempotency_key_required:
    'The app sent an incomplete request. Nothing was changed. Reload and try again.',
  no_price_id: 'This plan has no price yet. Nothing was charged.',
  unknown_symbol: 'The market source does not offer this pair.',
  wrong_quote: 'This account uses another quote currency.',
  invalid_signature: 'The signature is not valid. Nothing was changed.',
  link_message_refused: 'The signed message is not the one from Tradewind. Nothing was linked.',
  not_authenticated: 'Not authenticated',
  no_token: 'No authentication token available',
  invalid_token_structure: 'Invalid token structure',
  invalid_token_claims: 'Invalid token claims',
  invalid_token_issuer: 'Invalid token issuer',
  invalid_token: 'Invalid authentication token',
  reauth_required:
    'Your session has ended after 4 hours. Log in again to continue. Unsent commands are kept.',
  token_revoked: 'Your session was ended. Log in again to continue.',
  payment_required: 'Pay for this plan first. Nothing was charged.',
  invalid_user_id: 'Invalid user ID',
  insufficient_permissions: 'Your plan does not include this.',
  agent_cap_reached: "You have reached your plan's agent limit. Delete an agent or upgrade.",
  alert_limit_reached: `You have reached the limit of ${ALERTS_MAX} alerts. Delete one to add another.`,
  step_up_required: 'Confirm this start with your passkey or password. Nothing was started.',
  plan_lapsed: 'Your plan has ended. Agents and history are kept, and Stop always works.',
  trading_disabled: 'Trading is turned off in your settings. Stop losses and exits stay active.',
  forbidden_origin: 'The request came from another site and was refused.',
  recent_sign_in_required: 'Log in again to do this. Your last login was more than 5 minutes ago.',
  not_found: 'Not found. It may have been deleted.',
  method_not_allowed: 'The server does not accept this request.',
  agent_holds_positions: 'The agent has open positions. Stop and sell first.',
  agent_changed: 'The agent has changed. Check it before you continue.',
  alert_changed: 'This alert was changed on another device. Check it and save again.',
  settings_changed: 'The settings were changed on another device. Your entries are kept.',
  trial_used: 'You have already used your free trial.',
  already_subscribed: 'You already have a plan. Change or end it in the billing portal.',
  checkout_outdated: 'Your account or plan has changed. Nothing was charged. Try again.',
  position_closed: 'The position is already closed.',
  referral_refused: 'You cannot use this code with this account.',
  support_request_closed: 'This request is closed. Open a new one.',
  insufficient_cash: 'Not enough cash.',
  connection_ended: 'Live trading has ended for this exchange account.',
  live_orders_open: 'Orders at the exchange are still open. Stop the agent and let them end first.',
  write_off_refused: 'The account may have these coins. Nothing was written off.',
  link_message_used: 'This message was already used. Request a new one and sign it.',
  address_linked_elsewhere:
    'This address is linked to another Tradewind account. Unlink it there first.',
  address_limit_reached:
    'You have reached the limit of linked addresses. Unlink one to add another.',
  onramp_not_configured: 'Buying coins is not set up on this server.',
  command_lapsed: 'The command waited too long and was not executed.',
  link_message_expired: 'The message to sign has expired. Request a new one and sign it.',
  payload_too_large: 'This is too large for the server. Send less at once.',
  unsupported_media_type: 'The server does not accept this type of content.',
  idempotency_mismatch:
    'The same command was already sent with other content. Nothing was changed.',
  onramp_refused: 'The provider does not offer this purchase. Nothing was bought.',
  signer_refused: 'This was refused by the limits of your exchange account. Nothing was changed.',
  contract_too_old:
    'This version of the app is too old for the server. Update it. Unsent commands are kept.',
  rate_limited: 'Too many requests. Wait a moment and try again.',
  limit_reached: 'You have reached the limit for today. Try again later.',
  internal: 'The server had an error. Your entries are kept. Try again.',
  market_unavailable: 'Unable to retrieve market data - all sources unavailable',
  pools_unavailable: 'Unable to retrieve trading pools - all sources unavailable',
  agents_unavailable: 'Unable to retrieve agent data - backend unavailable',
  wallet_unavailable: 'Unable to retrieve wallet data - backend unavailable',
  chain_unavailable:
    'Could not reach the chain to verify your smart wallet. Nothing was linked. Your signature is still valid.',
  signer_unavailable: 'The exchange cannot be reached now. Nothing was changed. Try again soon.',
  onramp_unavailable: 'Could not reach the purchase provider. Nothing was bought.',
  subscription_unavailable: 'Backend service unavailable',
  identity_unavailable: 'Could not verify your login. Saved data is still available.',
  database_unavailable: 'The server cannot reach its database. Try again in a moment.',
  server_busy: 'The server is busy. Try again in a moment.',
  shutting_down: 'The server is restarting. Try again in a moment.',
  network: 'Could not reach the server. Saved data is still available.',
  timeout: 'The server did not answer in time. It may still have acted on your request.',
  bad_reply:
    'The answer did not come from Tradewind. Your network may ask you to log in. The last loaded data is kept.',
  aborted: 'Cancelled.',
  unknown: 'The server rejected this.',
};

/** Codes for which the server's sentence says more: the field, the amount or the limit. */
const SERVER_SAYS_MORE: ReadonlySet<ApiErrorCode> = new Set<ErrorCode | 'unknown'>([
  'invalid_request',
  'invalid_parameter',
  'no_price_id',
  'unknown_symbol',
  'wrong_quote',
  'insufficient_permissions',
  'agent_cap_reached',
  'agent_holds_positions',
  'insufficient_cash',
  'not_found',
  'trading_disabled',
  'referral_refused',
  'limit_reached',
  'link_message_refused',
  'address_linked_elsewhere',
  'onramp_refused',
  'signer_refused',
  'step_up_required',
  'live_orders_open',
  'write_off_refused',
  'subscription_unavailable',
  'already_subscribed',
  'checkout_outdated',
  'unknown',
]);

/** Texts for Firebase's codes. Unlisted ones count as a failed login. */
const IDENTITY_TEXT: Readonly<Record<string, string>> = {
  'auth/invalid-credential': 'Wrong email or password.',
  'auth/wrong-password': 'Wrong email or password.',
  'auth/user-not-found': 'Wrong email or password.',
  'auth/invalid-email': 'Enter a valid email address.',
  'auth/missing-password': 'Enter your password.',
  'auth/email-already-in-use': 'An account with this email exists. Log in or reset your password.',
  'auth/weak-password': 'The password needs at least 6 characters.',
  'auth/user-disabled': 'This account is disabled.',
  'auth/too-many-requests': 'Too many attempts. Try again in a few minutes.',
  'auth/network-request-failed': 'Could not reach the login service. Check your connection.',
  'auth/popup-closed-by-user': 'The Google window was closed before you were logged in.',
  'auth/cancelled-popup-request': 'The Google window was closed before you were logged in.',
  'auth/google-unreachable':
    'Could not reach Google. Nothing was changed. Check your connection or use your email and password.',
  'auth/user-mismatch': 'This is a different account. Choose the one you are logged in with.',
  'auth/requires-recent-login': 'Log in again to do this.',
  'auth/user-token-expired': 'Your session was ended. Log in again.',
  'auth/popup-blocked':
    'The browser blocked the Google window. Allow pop-ups for this site and try again.',
};

/** One sentence for any thrown value; never a stack or a code. */
export function errorSentence(error: unknown): string {
  if (error instanceof ApiError) {
    return SERVER_SAYS_MORE.has(error.code) && error.text !== ''
      ? error.text
      : ERROR_TEXT[error.code];
  }
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (Object.hasOwn(ERROR_TEXT, code)) return ERROR_TEXT[code as ApiErrorCode];
  if (code.startsWith('auth/')) return IDENTITY_TEXT[code] ?? 'Could not log in. Try again.';
  return error instanceof Error && error.message !== '' ? error.message : 'Something went wrong.';
}
