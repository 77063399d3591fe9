/**
 * Values that a schema takes, made up from a seed and from ids that are about: what a hostile person
 * sends who has read the contract. A call that is added later is covered without a change here.
 */
import { z } from 'zod';

type Schema = z.core.$ZodType;
interface Def {
  type: string;
  shape?: Record<string, Schema>;
  innerType?: Schema;
  element?: Schema;
  options?: readonly Schema[];
  entries?: Record<string, unknown>;
  values?: readonly unknown[];
  in?: Schema;
}

const NUMBERS = [0, 1, -1, 0.5, 7, 30, 100, 5_000, 60_000, 1e9, Number.MAX_SAFE_INTEGER];
const WORDS = [
  'BTC/USD',
  'BTC/USDT',
  'A name',
  '100',
  '0.001',
  '25',
  'paper',
  'live',
  'agents',
  '__proto__',
];
/** How many ids or words are tried for a text before one that fits nothing. */
const TRIES = 8;

export class MadeUp {
  constructor(
    private readonly roll: () => number,
    /** Ids that are about; it grows while the search goes on. */
    readonly ids: string[],
    /** What stands for an object with these keys, more often than not. */
    private readonly known: readonly { keys: readonly string[]; value: () => unknown }[] = [],
  ) {}

  one<T>(of: readonly T[]): T {
    return of[Math.floor(this.roll() * of.length)] as T;
  }

  chance(share: number): boolean {
    return this.roll() < share;
  }

  value(schema: Schema): unknown {
    const def = schema._zod.def as unknown as Def;
    switch (def.type) {
      case 'object':
        return this.object(def.shape ?? {});
      case 'optional':
      case 'default':
        return this.chance(0.4) ? undefined : this.inner(def.innerType);
      case 'nullable':
        return this.chance(0.4) ? null : this.inner(def.innerType);
      case 'array':
        return Array.from({ length: Math.floor(this.roll() * 4) }, () => this.inner(def.element));
      case 'union':
        return this.inner(this.one(def.options ?? []));
      case 'enum':
        return this.one(Object.values(def.entries ?? {}));
      case 'literal':
        return this.one(def.values ?? []);
      case 'pipe':
        return this.inner(def.in);
      case 'boolean':
        return this.chance(0.5);
      case 'number':
      case 'int':
        return this.fitting(schema, () => this.one([...NUMBERS, Date.now()]));
      case 'string':
      case 'template_literal':
        return this.fitting(schema, () =>
          this.chance(0.7) && this.ids.length > 0 ? this.one(this.ids) : this.one(WORDS),
        );
      default:
        return this.inner(def.innerType);
    }
  }

  private inner(schema: Schema | undefined): unknown {
    return schema === undefined ? {} : this.value(schema);
  }

  private object(shape: Record<string, Schema>): unknown {
    const keys = Object.keys(shape);
    const known = this.known.find((one) => one.keys.every((key) => keys.includes(key)));
    if (known !== undefined && this.chance(0.7)) return known.value();
    const entries = Object.entries(shape).map(([key, inner]) => [key, this.value(inner)] as const);
    // Fields of other calls too: a paper agent's settings with an exchange account among them.
    const stray = this.chance(0.1) ? [['connectionId', this.one(this.ids)] as const] : [];
    return Object.fromEntries([...entries, ...stray].filter(([, value]) => value !== undefined));
  }

  private fitting(schema: Schema, make: () => unknown): unknown {
    let made = make();
    for (let tries = 1; tries < TRIES && !z.core.safeParse(schema, made).success; tries += 1)
      made = make();
    return made;
  }
}
