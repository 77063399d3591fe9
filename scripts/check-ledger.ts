/** Prints, as JSON, whether the books add up, and equity against a saved portfolio; refuses to open a folder a server holds. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { add, formatFixed, multiply, parseFixed, ZERO } from '../contract/money.ts';
import { Portfolio } from '../contract/trading.ts';
import { readConfig } from '../server/config.ts';
import { lockFolder } from '../server/db/folder-lock.ts';
import { openPglite } from '../server/db/pglite.ts';
import { openPostgres } from '../server/db/postgres.ts';
import { checkLedger } from '../server/portfolio/check-ledger.ts';

/** What `GET /api/trading/portfolio` said: equity against cash + Σ quantity × bid, rounded down per position. */
function equityOf(file: string): object {
  const portfolio = Portfolio.parse(JSON.parse(readFileSync(file, 'utf8')));
  const values = portfolio.positions.map(({ quantity, price, cost }) => (price === null ? parseFixed(cost) : multiply(parseFixed(quantity), parseFixed(price), 'down')));
  const computed = formatFixed(values.reduce(add, parseFixed(portfolio.cash)));
  const explained = formatFixed([portfolio.deposits, portfolio.realized, portfolio.unrealized].map(parseFixed).reduce(add, ZERO));
  return { equity: portfolio.equity, cashAndPositionsAtBid: computed, depositsAndResults: explained, exact: portfolio.equity === computed && portfolio.equity === explained };
}

const nothing = (): void => undefined;
const quiet = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const config = readConfig(process.env);
const dataDir = resolve(config.dataDir);
const unlock = config.databaseUrl === null ? lockFolder(dataDir) : null;
const database = config.databaseUrl === null ? await openPglite(dataDir) : await openPostgres(config.databaseUrl, { poolMax: 2, log: quiet });
try {
  const check = await database.transaction((tx) => checkLedger(tx.db));
  const portfolio = process.argv[2];
  console.log(JSON.stringify({ ...check, ...(portfolio === undefined ? {} : { portfolio: equityOf(portfolio) }) }, null, 2));
  process.exitCode = check.ok ? 0 : 1;
} finally {
  await database.close();
  unlock?.();
}
