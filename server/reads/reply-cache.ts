/** Replies as text, each worked out once for all who ask while nothing of it changes. */
import { createHash } from 'node:crypto';
import type { CallName } from '../../contract/calls.ts';
import { CONTRACT_VERSION } from '../../contract/version.ts';
import type { WallClock } from '../clock.ts';
import { KeptByUse } from './kept-by-use.ts';
import type { Turn } from './known-facts.ts';

const BYTES_MAX = 32_000_000;
/** A reply states its moment: the same figures are told with a newer one after this. */
const SAME_MOMENT_MS = 1_000;

interface Kept {
  validator: string;
  madeAt: number;
  text: string;
}

export interface Asked {
  name: CallName;
  /** Whose reply it is; empty for everybody's. */
  uid: string;
  /** Parameters and query as parsed. */
  of: unknown;
  /** The caller's If-None-Match, if any. */
  has: string | undefined;
}

/** Works a reply out, in its turn. */
export type Work = () => Promise<string>;

export interface Answered {
  etag: string | null;
  /** Null where the caller has it. */
  text: string | null;
}

/** Weak, because the moment that a reply states is not part of it. */
const etagOf = ({ name, uid, of }: Asked, validator: string): string =>
  `W/"${createHash('sha256')
    .update(JSON.stringify([CONTRACT_VERSION, name, uid, of, validator]))
    .digest('base64url')
    .slice(0, 27)}"`;

const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');

const matches = (has: string | undefined, etag: string): boolean =>
  has !== undefined && has.split(',').some((one) => opaque(one) === opaque(etag));

export class ReplyCache {
  private readonly kept = new KeptByUse<Kept>(BYTES_MAX);
  private readonly underWay = new Map<string, Promise<string>>();

  constructor(private readonly clock: WallClock) {}

  get bytes(): number {
    return this.kept.bytes;
  }

  /** `prepare` asks for what others have to answer, before the turn. */
  async answer(
    asked: Asked,
    validator: string | null,
    turn: Turn,
    prepare: () => Promise<Work>,
  ): Promise<Answered> {
    const work = async (): Promise<string> => turn(asked.uid, await prepare());
    if (validator === null) return { etag: null, text: await work() };
    const etag = etagOf(asked, validator);
    if (matches(asked.has, etag)) return { etag, text: null };
    const key = JSON.stringify([asked.uid, asked.name, asked.of]);
    const known = this.kept.get(key);
    const age = known === undefined ? 0 : this.clock.now() - known.madeAt;
    if (known?.validator === validator && age >= 0 && age < SAME_MOMENT_MS)
      return { etag, text: known.text };
    const flight = `${key} ${validator}`;
    const shared = this.underWay.get(flight);
    if (shared !== undefined) {
      // What another was refused for is theirs: then this caller asks alone.
      const text = asked.uid === '' ? await shared.catch(work) : await shared;
      return { etag, text };
    }
    const madeAt = this.clock.now();
    const working = work().then((text) => {
      this.kept.set(key, { validator, madeAt, text }, 2 * (text.length + flight.length));
      return text;
    });
    this.underWay.set(flight, working);
    try {
      return { etag, text: await working };
    } finally {
      this.underWay.delete(flight);
    }
  }
}
