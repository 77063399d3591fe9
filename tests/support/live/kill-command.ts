/**
 * `npm run test:live-kills -- --dialect kraken --victim all --from 1 --every 1`: SIGKILL at every
 * write and every send of the server and of the signer, one after the other, until there is none
 * left.
 */
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { LiveExchange } from '../../../contract/signer.ts';
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

async function enumerate(dialect: LiveExchange, victims: readonly Victim[]): Promise<number> {
  const base = await makeKillBase(dialect);
  let bad = 0;
  for (const victim of victims)
    for (let at = Number(values.from); Date.now() < endsAt; at += Number(values.every)) {
      const verdict = await killAt(base, victim, at);
      process.stdout.write(`${said(dialect, verdict)}\n`);
      if (isBadKill(verdict)) bad += 1;
      if (verdict.killedAt === null) break;
    }
  rmSync(base.folder, { recursive: true, force: true });
  return bad;
}

const dialects =
  values.dialect === 'all' ? LiveExchange.options : [LiveExchange.parse(values.dialect)];
const victims: Victim[] =
  values.victim === 'server' || values.victim === 'signer' ? [values.victim] : ['server', 'signer'];
let wrong = 0;
for (const dialect of dialects) wrong += await enumerate(dialect, victims);
process.stdout.write(`${wrong} cases wrong\n`);
process.exitCode = wrong === 0 ? 0 : 1;
