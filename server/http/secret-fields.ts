/** Keeps the keys that people paste out of the texts of this process: see `secret-bytes.ts`. */
import { Readable } from 'node:stream';
import type { FastifyRequest, RequestPayload, RouteShorthandOptions } from 'fastify';
import type { CallName } from '../../contract/calls.ts';
import { Refusal } from '../../contract/errors.ts';
import { HeldSecrets, withoutSecrets } from '../secret-bytes.ts';
import { BODY_LIMIT_BYTES } from './body.ts';

const SECRET_FIELDS: Partial<Record<CallName, readonly string[]>> = {
  checkExchangeKey: ['apiKey', 'secret'],
  connectExchange: ['apiKey', 'secret'],
  replaceExchangeKey: ['apiKey', 'secret'],
};

/** The whole body as bytes. The pieces it came in are wiped. */
async function wholeOf(payload: RequestPayload): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of payload as AsyncIterable<Buffer>) {
    length += piece.length;
    pieces.push(piece);
    if (length > BODY_LIMIT_BYTES)
      throw new Refusal('payload_too_large', 'The request is too large');
  }
  const whole = Buffer.concat(pieces);
  for (const piece of pieces) piece.fill(0);
  return whole;
}

/** What of a call's requests is held, and wiped when the work on one has ended. */
export class SecretFields {
  private readonly byRequest = new WeakMap<FastifyRequest, HeldSecrets>();

  constructor(private readonly fields: readonly string[]) {}

  /** Hooks of the route: what the handler never came to is wiped with the response. */
  get hooks(): Pick<RouteShorthandOptions, 'preParsing' | 'onResponse'> {
    return {
      preParsing: async (request, _reply, payload) => {
        const secrets = new HeldSecrets();
        this.byRequest.set(request, secrets);
        const whole = await wholeOf(payload);
        const { length } = whole;
        const text = withoutSecrets(whole, this.fields, secrets);
        return Object.assign(Readable.from([Buffer.from(text)]), { receivedEncodedLength: length });
      },
      onResponse: async (request) => {
        this.byRequest.get(request)?.wipe();
      },
    };
  }

  /** Wiped after the work and not before, also where nobody waits for the answer any more. */
  async whileUsed<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> {
    const secrets = this.byRequest.get(request);
    this.byRequest.delete(request);
    try {
      return await work();
    } finally {
      secrets?.wipe();
    }
  }
}

export function secretFieldsOf(name: CallName): SecretFields | null {
  const fields = SECRET_FIELDS[name];
  return fields === undefined ? null : new SecretFields(fields);
}
