/** The column types that every table uses: no floats for money, no local times. */
import { bigint, numeric } from 'drizzle-orm/pg-core';

/** Money: exact decimal text in and out (see contract/money.ts). */
export const money = (name: string) => numeric(name, { precision: 36, scale: 12 });
/**
 * Milliseconds UTC. Columns named `*_market_ms` are on the market clock, all others on the wall
 * clock.
 */
export const ms = (name: string) => bigint(name, { mode: 'number' });
