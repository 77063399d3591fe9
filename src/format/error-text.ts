/** The sentence a person reads for every error code; a code without one does not compile. */
import type { ErrorCode } from '../../contract/errors.ts';
import { ApiError, type ApiErrorCode } from '../api/api-error.ts';

/**
 * What happened, what is safe, what to do. The server's own sentence is preferred where it names a
 * field or an amount.
 */
export const ERROR_TEXT: Readonly<Record<ApiErrorCode, string>> = {
  invalid_request: 'Something in what you entered is not accepted.',
  invalid_subscription_parameters: 'Invalid subscription parameters',
  invalid_agent_id: 'Invalid agent ID',
  invalid_parameter: 'One of the values is empty once unsafe characters are removed.',
  idempotency_key_required:
    'The app sent an incomplete request. Nothing was changed. Reload and try again.',
  no_price_id: 'This plan has no price yet. Nothing was charged.',
  unknown_symbol: 'The market source does not offer this pair.',
  wrong_quote: 'This account trades in another quote currency.',
  invalid_signature: 'The message was not signed as it should be, and was refused.',
  link_message_refused:
    'What was signed is not the message that Tradewind made for you. Nothing was linked.',
  not_authenticated: 'Not authenticated',
  no_token: 'No authentication token available',
  invalid_token_structure: 'Invalid token structure',
  invalid_token_claims: 'Invalid token claims',
  invalid_token_issuer: 'Invalid token issuer',
  invalid_token: 'Invalid authentication token',
  reauth_required:
    'You signed in more than four hours ago. Sign in again to go on; what waits to be sent is kept.',
  token_revoked: 'This sign-in was revoked. Sign in again to go on.',
  payment_required: 'This plan has to be paid for first. Nothing was charged.',
  invalid_user_id: 'Invalid user ID',
  insufficient_permissions: 'Your plan does not include this.',
  agent_cap_reached: 'Your plan has no place for another agent.',
  alert_limit_reached: 'You have as many alerts as there can be. Delete one first.',
  plan_lapsed: 'Your plan has ended. Agents and history are kept, and Stop always works.',
  trading_disabled: 'Trading is switched off in your settings. Exits still run.',
  forbidden_origin: 'The request came from another site and was refused.',
  recent_sign_in_required:
    'For this, sign in again first: your sign-in is more than five minutes old.',
  not_found: 'It is not here, or no longer.',
  method_not_allowed: 'The server does not take this request.',
  agent_holds_positions: 'The agent still holds positions. Stop and sell first.',
  agent_changed: 'The agent has changed meanwhile. Look again before you go on.',
  alert_changed: 'This alert was changed on another device. Look at it and save again.',
  settings_changed: 'The settings were changed elsewhere. What you typed is kept.',
  trial_used: 'You have already used your free trial.',
  already_subscribed: 'You have this plan already.',
  position_closed: 'The position is closed already.',
  referral_refused: 'This code cannot be used by this account.',
  support_request_closed: 'This request is closed. Open a new one.',
  insufficient_cash: 'There is not enough cash for this.',
  link_message_used: 'This message was used already. Ask for a new one and sign that.',
  address_linked_elsewhere:
    'This address is linked to another Tradewind account. Unlink it there first.',
  address_limit_reached: 'Your account has as many addresses as it can hold. Unlink one first.',
  onramp_not_configured: 'Buying coins is not set up on this server.',
  command_lapsed: 'The command waited too long and was not carried out.',
  link_message_expired: 'The message to sign is too old. Ask for a new one and sign that.',
  payload_too_large: 'That is more than the server takes at once.',
  unsupported_media_type: 'The server does not take this kind of content.',
  idempotency_mismatch: 'The same command was sent with other content. Nothing was changed.',
  onramp_refused: 'The provider does not offer this purchase. Nothing was bought.',
  contract_too_old:
    'This version of the app is too old for the server. Update it; what waits to be sent is kept.',
  rate_limited: 'Too many requests just now. Wait a moment.',
  limit_reached: 'That was as often as this is possible in a day. Try again later.',
  internal: 'The server failed on this. Nothing you entered is lost.',
  market_unavailable: 'Unable to retrieve market data - all sources unavailable',
  pools_unavailable: 'Unable to retrieve trading pools - all sources unavailable',
  agents_unavailable: 'Unable to retrieve agent data - backend unavailable',
  wallet_unavailable: 'Unable to retrieve wallet data - backend unavailable',
  chain_unavailable:
    'The chain cannot be reached just now, and a smart wallet is asked there. Nothing was linked; what you signed is still good.',
  onramp_unavailable: 'The provider of purchases cannot be reached just now. Nothing was bought.',
  subscription_unavailable: 'Backend service unavailable',
  identity_unavailable: 'Your sign-in cannot be confirmed just now. Saved data stays readable.',
  database_unavailable: 'The server cannot reach its records just now. Try again in a moment.',
  shutting_down: 'The server is restarting. Try again in a moment.',
  network: 'The server cannot be reached. Saved data stays readable.',
  timeout: 'The server did not answer in time. Whether it acted is not known yet.',
  bad_reply:
    'What answered was not Tradewind: perhaps the network asks you to sign in. The last good data is kept.',
  aborted: 'Cancelled.',
  unknown: 'The server refused this.',
};

/**
 * Codes whose own text says less than the server's sentence, which names the field, the amount or
 * the limit.
 */
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
  'subscription_unavailable',
  'unknown',
]);

/** Firebase's own codes, in words. What is not listed is worded as a failure to sign in. */
const IDENTITY_TEXT: Readonly<Record<string, string>> = {
  'auth/invalid-credential': 'The email or the password is not right.',
  'auth/wrong-password': 'The email or the password is not right.',
  'auth/user-not-found': 'The email or the password is not right.',
  'auth/invalid-email': 'That is not an email address.',
  'auth/missing-password': 'A password is required.',
  'auth/email-already-in-use':
    'There is an account with this email already. Log in, or reset its password.',
  'auth/weak-password': 'The password needs at least 6 characters.',
  'auth/user-disabled': 'This account is disabled.',
  'auth/too-many-requests': 'Too many attempts. Wait a few minutes.',
  'auth/network-request-failed': 'The identity provider cannot be reached. Check the connection.',
  'auth/popup-closed-by-user': 'The Google window was closed before you were signed in.',
  'auth/cancelled-popup-request': 'The Google window was closed before you were signed in.',
  'auth/google-unreachable':
    'Google cannot be reached from here. Nothing was changed. Check the connection, or use your email and password.',
  'auth/user-mismatch': 'That is another account. Choose the one you are signed in with.',
  'auth/requires-recent-login': 'For this, sign in again first.',
  'auth/user-token-expired': 'This sign-in was ended. Log in again.',
  'auth/popup-blocked':
    'The browser blocked the Google window. Allow pop-ups for this site and try again.',
};

/** One sentence for whatever was thrown; never a stack, never a code. */
export function errorSentence(error: unknown): string {
  if (error instanceof ApiError) {
    return SERVER_SAYS_MORE.has(error.code) && error.text !== ''
      ? error.text
      : ERROR_TEXT[error.code];
  }
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (Object.hasOwn(ERROR_TEXT, code)) return ERROR_TEXT[code as ApiErrorCode];
  if (code.startsWith('auth/')) return IDENTITY_TEXT[code] ?? 'Signing in did not work. Try again.';
  return error instanceof Error && error.message !== '' ? error.message : 'Something went wrong.';
}
