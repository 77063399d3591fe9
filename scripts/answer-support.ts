/**
 * `npx tsx scripts/answer-support.ts`: the operator reads and answers support requests, with or
 * without a running server.
 */
import type { OperatorAsk } from '../server/support/operator-socket.ts';
import { askerText, type OperatorRequest } from '../server/support/requests.ts';
import { askOperator, moment, plain, printAnswer } from './operator.ts';

const USAGE = `Usage:
  npx tsx scripts/answer-support.ts list [--all]         open requests, priority first; with --all all requests
  npx tsx scripts/answer-support.ts show ID              one request in full, with the facts that were sent
  npx tsx scripts/answer-support.ts answer ID "TEXT"     answers it (without TEXT: reads standard input)
  npx tsx scripts/answer-support.ts close ID             closes it without an answer
The first characters of an ID are enough. DATA_DIR and DATABASE_URL choose the data, as for the server.`;

const ask = async (what: OperatorAsk): Promise<OperatorRequest[]> =>
  (await askOperator(what)) as OperatorRequest[];

function line(one: OperatorRequest): string {
  const first = plain(one.messages[0]?.text ?? '').replace(/\s+/g, ' ');
  return `${one.id.slice(0, 8)}  ${one.priority ? 'PRIORITY' : '        '}  ${one.state.padEnd(8)}  ${moment(one.updatedAt)}  ${one.category.padEnd(9)}  ${plain(askerText(one))}\n          ${first.length > 100 ? `${first.slice(0, 99)}…` : first}`;
}

function whole(one: OperatorRequest): string {
  const words = one.messages.map(
    ({ author, createdAt, text }) =>
      `--- ${author === 'operator' ? 'answer' : 'person'}, ${moment(createdAt)} UTC\n${plain(text)}`,
  );
  const facts =
    one.diagnostics === null
      ? []
      : ['--- facts the user agreed to send', plain(JSON.stringify(one.diagnostics, null, 2))];
  return [
    `${one.id}  ${one.state}${one.priority ? '  PRIORITY' : ''}`,
    `${one.email === null ? '' : plain(askerText(one))}  (${one.uid})  ${one.category}`,
    ...words,
    ...facts,
  ].join('\n');
}

async function standardInput(): Promise<string> {
  let text = '';
  for await (const piece of process.stdin as AsyncIterable<Buffer>) text += piece.toString('utf8');
  return text;
}

async function main([act = '', id = '', ...rest]: string[]): Promise<string> {
  if (act === 'list') {
    const found = await ask({ act, all: id === '--all' });
    return found.length === 0 ? 'No open requests.' : found.map(line).join('\n');
  }
  if (act === 'show') {
    const found = (await ask({ act: 'list', all: true })).filter(
      (one) => id !== '' && one.id.startsWith(id.toLowerCase()),
    );
    return found.length === 0 ? 'Request not found.' : found.map(whole).join('\n\n');
  }
  if (act === 'answer') {
    const text = rest.length > 0 ? rest.join(' ') : await standardInput();
    return (await ask({ act, id, text }))
      .filter((one) => one.id.startsWith(id.toLowerCase()))
      .map(whole)
      .join('\n');
  }
  if (act === 'close') {
    await ask({ act, id });
    return 'Closed.';
  }
  return USAGE;
}

printAnswer(main(process.argv.slice(2)));
