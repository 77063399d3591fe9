/**
 * The operator switches new trades off and on again, beside a running server or without one;
 * refuses a switch without a reason, or one that names nothing.
 */
import { userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import type { HaltScope } from '../contract/halts.ts';
import type { HaltRow } from '../server/agents/trading-halts.ts';
import type { OperatorAsk } from '../server/support/operator-socket.ts';
import { askOperator, moment, plain, printAnswer } from './operator.ts';

const USAGE = `Usage:
  npm run halt -- --platform --reason "TEXT"            nobody's agents open anything new
  npm run halt -- --venue SOURCE --reason "TEXT"        none that trades at this source, such as coinbaseexchange
  npm run halt -- --user UID --reason "TEXT"            none of this person (or their address)
  npm run halt -- --agent ID --reason "TEXT"            not this agent
      [--until 2026-01-31T18:00Z]                       ends by itself then; otherwise it lasts until it is lifted
      [--by NAME]                                       who throws it; otherwise the name on this machine
  npm run halt -- --lift --platform [--reason "TEXT"]   the same names: what was switched off goes on
  npm run halt -- --list [--all]                        what is off now; with --all everything that was ever thrown or lifted
Exits, stops, deposits, Stop and selling go on whatever is switched off. People read the reason.
DATA_DIR and DATABASE_URL say where, as for the server. When the command returns, no purchase decided before it can still come.`;

const ask = async (what: OperatorAsk): Promise<HaltRow[]> => (await askOperator(what)) as HaltRow[];
const OF: Record<HaltScope, string> = {
  platform: 'everything',
  venue: 'venue',
  user: 'person',
  agent: 'agent',
};

function line({ act, scope, target, reason, by, until, at }: HaltRow): string {
  const what = `${OF[scope as HaltScope]}${target === '' ? '' : ` ${plain(target)}`}`;
  const ends =
    act === 'lift' ? '' : until === null ? ', until it is lifted' : `, until ${moment(until)} UTC`;
  return `${moment(at)} UTC  ${act === 'halt' ? 'off' : 'on '}  ${what}${ends}, by ${plain(by)}${reason === '' ? '' : `: ${plain(reason)}`}`;
}

function endOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const at = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text)
    ? Date.parse(text)
    : NaN;
  if (Number.isNaN(at))
    throw new Error('--until: a moment like 2026-01-31T18:00Z is needed, with its zone');
  return at;
}

function main(args: string[]): Promise<string> {
  const { values } = parseArgs({
    args,
    options: {
      platform: { type: 'boolean' },
      venue: { type: 'string' },
      user: { type: 'string' },
      agent: { type: 'string' },
      reason: { type: 'string', default: '' },
      until: { type: 'string' },
      by: { type: 'string' },
      lift: { type: 'boolean' },
      list: { type: 'boolean' },
      all: { type: 'boolean', default: false },
    },
  });
  if (values.list === true)
    return ask({ act: 'halts', all: values.all }).then((rows) =>
      rows.length === 0 ? 'Nothing is switched off.' : rows.map(line).join('\n'),
    );
  const named = (
    [
      ['platform', values.platform === true ? '' : undefined],
      ['venue', values.venue],
      ['user', values.user],
      ['agent', values.agent],
    ] as const
  ).flatMap(([scope, target]) => (target === undefined ? [] : [{ scope, target }]));
  const [one] = named;
  if (one === undefined || named.length > 1) throw new Error(USAGE);
  const more = { ...one, reason: values.reason, by: values.by ?? userInfo().username };
  return ask(
    values.lift === true
      ? { act: 'lift', ...more }
      : { act: 'halt', ...more, until: endOf(values.until) },
  ).then((rows) => rows.map(line).join('\n'));
}

printAnswer(Promise.resolve(process.argv.slice(2)).then(main));
