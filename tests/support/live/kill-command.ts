/**
 * `npm run test:live-kills -- --dialect all --victim all --from 1 --every 1`: SIGKILL at every write
 * and every send of the server and of the signer, one after the other, until there is none left;
 * exchanges side by side.
 */
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { LiveExchange } from '../../../contract/signer.ts';
import { beginProof, keepResult } from '../../../scripts/proof/result.ts';
import { isBadKill, killAt, makeKillBase, type KillVerdict, type Victim } from './kill-world.ts';

const { values } = parseArgs({
  options: {
    dialect: { type: 'string', default: 'kraken' },
    victim: { type: 'string', default: 'all' },
    from: { type: 'string', default: '1' },
    every: { type: 'string', default: '1' },
    /** Seconds after which no case begins any more. */
    seconds: { type: 'string', default: '0' },
  },
});

const endsAt =
  Number(values.seconds) === 0 ? Infinity : Date.now() + Number(values.seconds) * 1_000;

/** One line that says where it was killed and what was wrong. */
function said(dialect: LiveExchange, verdict: KillVerdict): string {
  const lists = Object.entries(verdict).flatMap(([name, value]) =>
    Array.isArray(value) && value.length > 0 ? [`${name}: ${value.join('; ')}`] : [],
  );
  const { victim, at, killedAt, orders, fills } = verdict;
  const wrong = isBadKill(verdict) ? ` WRONG ${lists.join(' | ')}` : '';
  return `${dialect} ${victim} ${killedAt ?? `${at}: nothing left`}: ${orders} orders, ${fills} fills${wrong}`;
}

interface Counts {
  /** Cases by exchange and victim. */
  cases: Map<string, number>;
  wrong: number;
  orders: number;
  fills: number;
}

async function enumerate(
  dialect: LiveExchange,
  victims: readonly Victim[],
  counts: Counts,
): Promise<void> {
  const base = await makeKillBase(dialect);
  for (const victim of victims)
    for (let at = Number(values.from); Date.now() < endsAt; at += Number(values.every)) {
      const verdict = await killAt(base, victim, at);
      process.stdout.write(`${said(dialect, verdict)}\n`);
      if (isBadKill(verdict)) counts.wrong += 1;
      if (verdict.killedAt === null) break;
      const name = `${victim} before ${dialect}`;
      counts.cases.set(name, (counts.cases.get(name) ?? 0) + 1);
      counts.orders += verdict.orders;
      counts.fills += verdict.fills;
    }
  rmSync(base.folder, { recursive: true, force: true });
}

const dialects =
  values.dialect === 'all' ? LiveExchange.options : [LiveExchange.parse(values.dialect)];
const victims: Victim[] =
  values.victim === 'server' || values.victim === 'signer' ? [values.victim] : ['server', 'signer'];
const counts: Counts = { cases: new Map(), wrong: 0, orders: 0, fills: 0 };
const startedAt = Date.now();
beginProof('live-kills');
await Promise.all(dialects.map((dialect) => enumerate(dialect, victims, counts)));
process.stdout.write(`${counts.wrong} cases wrong\n`);
process.exitCode = counts.wrong === 0 ? 0 : 1;
const { dialect, victim, from, every } = values;
keepResult({
  part: 'live-kills',
  command: `npm run test:live-kills -- --dialect ${dialect} --victim ${victim} --from ${from} --every ${every}`,
  ok: counts.wrong === 0 && counts.cases.size > 0,
  seconds: (Date.now() - startedAt) / 1_000,
  figures: {
    'kills survived': [...counts.cases.values()].reduce((all, one) => all + one, 0) - counts.wrong,
    'cases that went wrong': counts.wrong,
    'orders at the exchange': counts.orders,
    fills: counts.fills,
  },
  rows: [['Who was killed', 'Cases'], ...[...counts.cases].sort(([a], [b]) => a.localeCompare(b))],
});
