/**
 * Prints as JSON whether the ledgers add up; `--alarm` runs the daily check now. On PGlite the server
 * has to be stopped.
 */
import { readFileSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import { add, formatFixed, multiply, parseFixed, ZERO } from '../contract/money.ts';
import { Portfolio } from '../contract/trading.ts';
import { SILENT } from '../server/db/pglite.ts';
import { systemClock } from '../server/clock.ts';
import { runLedgerCheck } from '../server/portfolio/ledger-check.ts';
import { checkLedger } from '../server/portfolio/check-ledgers.ts';
import { openDataPlace } from './data-place.ts';
import { printAnswer } from './operator.ts';

/**
 * What `GET /api/trading/portfolio` said: equity against cash + Σ quantity × bid, rounded down per
 * position.
 */
function equityOf(file: string): object {
  const portfolio = Portfolio.parse(JSON.parse(readFileSync(file, 'utf8')));
  const values = portfolio.positions.map(({ quantity, price, cost }) =>
    price === null ? parseFixed(cost) : multiply(parseFixed(quantity), parseFixed(price), 'down'),
  );
  const computed = formatFixed(values.reduce(add, parseFixed(portfolio.cash)));
  const explained = formatFixed(
    [portfolio.deposits, portfolio.realized, portfolio.unrealized]
      .map(parseFixed)
      .reduce(add, ZERO),
  );
  return {
    equity: portfolio.equity,
    cashAndPositionsAtBid: computed,
    depositsAndResults: explained,
    exact: portfolio.equity === computed && portfolio.equity === explained,
  };
}

async function check(asked: string[]): Promise<string> {
  const place = await openDataPlace();
  const { database } = place;
  try {
    // Raises and lifts alarms, so that an account that was mended need not wait for the night.
    if (asked.includes('--alarm'))
      await runLedgerCheck({ database, clock: systemClock, log: SILENT }, { force: true });
    const found = await database.transaction(async (tx) => {
      await tx.db.execute(sql`set transaction isolation level repeatable read, read only`);
      // A large ledger takes longer than a server's statement may.
      await tx.db.execute(sql`set local statement_timeout = 0`);
      return checkLedger(tx.db);
    });
    const portfolio = asked.find((word) => !word.startsWith('--'));
    process.exitCode = found.ok ? 0 : 1;
    return JSON.stringify(
      { ...found, ...(portfolio === undefined ? {} : { portfolio: equityOf(portfolio) }) },
      null,
      2,
    );
  } finally {
    await place.close();
  }
}

printAnswer(check(process.argv.slice(2)));
