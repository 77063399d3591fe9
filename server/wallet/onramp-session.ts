/** Calls the onramp provider with this server's keys. Its own texts are not passed on. */
import { Refusal } from '../../contract/errors.ts';
import type {
  OnrampOptions,
  OnrampOptionsQuery,
  OnrampQuoteBody,
  OnrampQuoteReply,
} from '../../contract/onramp.ts';
import { retryAfterHeaderMs } from '../../contract/retry.ts';
import type { WallClock } from '../clock.ts';
import type { OnrampConfig } from '../config.ts';
import type { Log } from '../log.ts';
import { cdpToken, readCdpKey, type CdpKey } from './cdp-token.ts';
import { readOptions, readQuote, readSession } from './onramp-replies.ts';

const TIMEOUT_MS = 7_000;
/** The list of a country's coins has some hundred kilobytes. */
const REPLY_MAX_BYTES = 4 * 1024 * 1024;
const RETRY_MS = 10_000;
const RETRY_MOST_MS = 10 * 60_000;
/** What can be bought where changes seldom; the provider asks for it to be kept. */
const OPTIONS_FRESH_MS = 10 * 60_000;
const OPTIONS_KEPT = 300;

interface Question {
  method: 'GET' | 'POST';
  path: string;
  query?: Record<string, string | undefined>;
  body?: object;
}

async function textOf(response: Response): Promise<string> {
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    size += part.value.byteLength;
    if (size > REPLY_MAX_BYTES) {
      await reader?.cancel();
      throw new Error('The reply is too large');
    }
    chunks.push(part.value);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const waitMs = (header: string | null, now: number): number =>
  Math.min(RETRY_MOST_MS, Math.max(1_000, retryAfterHeaderMs(header, now) ?? RETRY_MS));

const unavailable = (): Refusal =>
  new Refusal(
    'onramp_unavailable',
    'The purchase provider cannot be reached right now. Nothing was bought.',
    { retryAfterMs: RETRY_MS },
  );

export class Onramp {
  private readonly key: CdpKey;
  private readonly kept = new Map<string, { at: number; options: Promise<OnrampOptions> }>();

  constructor(
    private readonly config: OnrampConfig,
    private readonly clock: WallClock,
    private readonly log: Log,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {
    this.key = readCdpKey(config.keyId, config.keySecret);
  }

  /** A token for one visit to the provider's page, for coins to this address on Base alone. */
  session(address: string, clientIp: string): Promise<string> {
    return this.ask(
      'session',
      {
        method: 'POST',
        path: '/onramp/v1/token',
        body: { addresses: [{ address, blockchains: ['base'] }], clientIp },
      },
      readSession,
    );
  }

  quote(body: OnrampQuoteBody): Promise<Omit<OnrampQuoteReply, 'commandId'>> {
    const {
      purchaseCurrency,
      purchaseNetwork,
      paymentCurrency,
      paymentMethod,
      paymentAmount,
      country,
      subdivision,
    } = body;
    return this.ask(
      'quote',
      {
        method: 'POST',
        path: '/onramp/v1/buy/quote',
        body: {
          purchase_currency: purchaseCurrency,
          purchase_network: purchaseNetwork,
          payment_currency: paymentCurrency,
          payment_method: paymentMethod,
          payment_amount: paymentAmount,
          country,
          subdivision,
        },
      },
      readQuote,
    );
  }

  /**
   * Everybody who asks for one country within ten minutes gets one answer; a failed one is not
   * kept.
   */
  options({ country, subdivision }: OnrampOptionsQuery): Promise<OnrampOptions> {
    const key = `${country} ${subdivision ?? ''}`;
    const known = this.kept.get(key);
    if (known !== undefined && this.clock.now() - known.at < OPTIONS_FRESH_MS) return known.options;
    const options = this.ask(
      'options',
      { method: 'GET', path: '/onramp/v1/buy/options', query: { country, subdivision } },
      readOptions,
    );
    this.kept.delete(key);
    this.kept.set(key, { at: this.clock.now(), options });
    options.catch(() => {
      if (this.kept.get(key)?.options === options) this.kept.delete(key);
    });
    const oldest = this.kept.keys().next();
    if (this.kept.size > OPTIONS_KEPT && oldest.done !== true) this.kept.delete(oldest.value);
    return options;
  }

  private async ask<T>(
    what: string,
    question: Question,
    read: (reply: unknown) => T | null,
  ): Promise<T> {
    const { status, header, text } = await this.send(what, question);
    if (status < 200 || status > 299) throw this.refused(what, status, header);
    const parsed = read(parse(text));
    if (parsed !== null) return parsed;
    this.log.error(
      { what, status, bytes: text.length },
      'the onramp sent a reply that cannot be read',
    );
    throw unavailable();
  }

  private async send(
    what: string,
    { method, path, query = {}, body }: Question,
  ): Promise<{ status: number; header: string | null; text: string }> {
    const url = new URL(`${this.config.apiBase}${path}`);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, value);
    const token = await cdpToken(this.key, method, url, this.clock.now());
    try {
      const response = await fetch(url, {
        method,
        redirect: 'error',
        signal: AbortSignal.timeout(this.timeoutMs),
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return {
        status: response.status,
        header: response.headers.get('retry-after'),
        text: await textOf(response),
      };
    } catch (error) {
      this.log.error(
        { what, reason: error instanceof Error ? error.name : 'unknown' },
        'the onramp did not answer',
      );
      throw unavailable();
    }
  }

  /** What its status means here. Its own words may quote what it was sent, and go nowhere. */
  private refused(what: string, status: number, header: string | null): Refusal {
    this.log.error(
      { what, status },
      status === 401 || status === 403
        ? 'the onramp rejects CDP_API_KEY_ID and CDP_API_KEY_SECRET'
        : 'the onramp rejected a request',
    );
    if (status === 429) {
      return new Refusal(
        'rate_limited',
        'The purchase provider is busy. Nothing was bought. Try again in a moment.',
        { retryAfterMs: waitMs(header, this.clock.now()) },
      );
    }
    if (status >= 500 || status === 401 || status === 403) return unavailable();
    return new Refusal(
      'onramp_refused',
      'The provider does not offer this purchase. Check the country, the coin and the amount. Nothing was bought.',
    );
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
