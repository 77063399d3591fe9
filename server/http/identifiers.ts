/** Sanitises identifiers and parameters before anything uses them. */
import { Refusal, type ErrorCode } from '../../contract/errors.ts';
import { sanitiseIdentifier } from '../../contract/text.ts';
import { isUuid } from '../../contract/uuid.ts';

const EMPTY: Record<'agent' | 'user' | 'plan' | 'other', [ErrorCode, string]> = {
  agent: ['invalid_agent_id', 'Invalid agent ID'],
  user: ['invalid_user_id', 'Invalid user ID'],
  plan: ['invalid_subscription_parameters', 'Invalid subscription parameters'],
  other: ['invalid_parameter', 'Invalid parameter'],
};
/** No plain object: a key of a body may be the name of what every object has. */
const BODY_IDENTIFIERS = new Map<string, keyof typeof EMPTY>([
  ['userId', 'user'],
  ['planId', 'plan'],
  ['priceId', 'plan'],
]);
function cleaned(text: string, kind: keyof typeof EMPTY, field: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is removed
  const clean = sanitiseIdentifier(text.replace(/[\u0000-\u001f\u007f]/g, ''));
  if (clean === null) throw new Refusal(EMPTY[kind][0], EMPTY[kind][1], { field });
  return clean;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Path parameters. Every object of the product has a UUID, so that anything else is simply not
 * there.
 */
export function cleanParams(path: string, params: unknown): Record<string, string> {
  const clean: Record<string, string> = {};
  for (const [key, value] of Object.entries(isRecord(params) ? params : {})) {
    const text = cleaned(String(value), path.startsWith('/api/agents/') ? 'agent' : 'other', key);
    if (!isUuid(text)) throw new Refusal('not_found', 'Not found');
    clean[key] = text.toLowerCase();
  }
  return clean;
}

/** Query parameters; one given twice is refused rather than guessed at. */
export function cleanQuery(query: unknown): Record<string, string> {
  const clean: Record<string, string> = {};
  for (const [key, value] of Object.entries(isRecord(query) ? query : {})) {
    if (typeof value !== 'string')
      throw new Refusal('invalid_parameter', 'Invalid parameter', {
        field: cleaned(key, 'other', 'query'),
      });
    clean[key] = cleaned(value, 'other', key);
  }
  return clean;
}

/** Identifiers of a body's top level; everything else is the contract's to judge. */
export function cleanBody(body: unknown): unknown {
  if (!isRecord(body)) return body;
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => {
      const kind = BODY_IDENTIFIERS.get(key);
      return [
        key,
        kind !== undefined && typeof value === 'string' ? cleaned(value, kind, key) : value,
      ];
    }),
  );
}
