/**
 * `npm run halt`: the operator sets, lifts and lists trading halts, with or without a running
 * server.
 */
import { userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import type { HaltScope } from '../contract/halts.ts';
import type { HaltRow } from '../server/agents/trading-halts.ts';
import type { OperatorAsk } from '../server/support/operator-socket.ts';
import { askOperator, moment, plain, printAnswer } from './operator.ts';

const USAGE = `Usage:
  npm run halt -- --platform --reason "TEXT"            no agent opens positions
  npm run halt -- --venue SOURCE --reason "TEXT"        no agent at this source, such as coinbaseexchange
  npm run halt -- --user UID --reason "TEXT"            no agent of this user (uid or confirmed email)
  npm run halt -- --agent ID --reason "TEXT"            only this agent
      [--until 2026-01-31T18:00Z]                       ends by itself; otherwise lasts until lifted
      [--by NAME]                                       who sets it; otherwise your user name here
  npm run halt -- --lift --platform [--reason "TEXT"]   lifts the halt, with the same options
  npm run halt -- --list [--all]                        halts in force; with --all the whole history
Exits, stop losses, deposits, Stop and selling always work. Users read the reason.
DATA_DIR and DATABASE_URL choose the data, as for the server.
When the command returns, no purchase decided before it can still happen.`;

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
    throw new Error('--until: give a time such as 2026-01-31T18:00Z, with its zone');
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
      rows.length === 0 ? 'No trading halts in force.' : rows.map(line).join('\n'),
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
