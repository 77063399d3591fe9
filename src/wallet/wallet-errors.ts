/**
 * What a wallet's failure is for a person: what happened, what is safe, what to do; refuses to show
 * a stack, or to call safe what nobody knows.
 */
import { retryAfterHeaderMs } from '../../contract/retry.ts';

/**
 * During what it failed. `read`: something was asked of the chain, and nothing was to change.
 * `look`: the same, before a send.
 */
export type WalletAct = 'connect' | 'disconnect' | 'switch' | 'sign' | 'look' | 'send' | 'read';

export interface WalletFailure {
  kind:
    | 'rejected'
    | 'added-not-switched'
    | 'chain-not-configured'
    | 'already-connected'
    | 'not-connected'
    | 'absent'
    | 'no-switching'
    | 'wrong-chain'
    | 'unknown-chain'
    | 'not-enough'
    | 'reverted'
    | 'limited'
    | 'silent'
    | 'unreachable'
    | 'node-failed'
    | 'busy'
    | 'unauthorised'
    | 'unsupported'
    | 'cut-off'
    | 'blocked-window'
    | 'overtaken'
    | 'other';
  happened: string;
  safe: string;
  /** Empty where there is nothing to do but what the person was about to do. */
  next: string;
}

/** The part of any library's error that is read here. */
interface Layer {
  name?: string;
  code?: number;
  status?: number;
  shortMessage?: string;
  message?: string;
  details?: string;
  reason?: string;
  headers?: Headers;
  cause?: unknown;
  data?: unknown;
}

const SENTENCE_MAX = 200;
const DEPTH_MAX = 8;
const REJECTED = new Set([4001, 5000]);
const LIMITED = new Set([429, -32_005, -32_007]);

/** The error and what caused it, outermost first. */
function layersOf(error: unknown): Layer[] {
  const layers: Layer[] = [];
  for (
    let at = error;
    typeof at === 'object' && at !== null && layers.length < DEPTH_MAX;
    at = (at as Layer).cause
  )
    layers.push(at);
  return layers;
}

const oneLine = (text: string): string => {
  const line = (text.split('\n')[0] ?? '').trim();
  return line.length <= SENTENCE_MAX ? line : `${line.slice(0, SENTENCE_MAX - 1)}…`;
};
const closed = (sentence: string): string =>
  sentence === '' || /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;

/** What the outermost layer that has words says in its first line. */
function ownWords(layers: readonly Layer[]): string {
  for (const { message, shortMessage } of layers) {
    const line = oneLine(shortMessage ?? message ?? '');
    if (line !== '') return line;
  }
  return 'The wallet did not answer';
}

const said = (layers: readonly Layer[], words: RegExp): boolean =>
  layers.some(({ details, message, shortMessage }) =>
    words.test(`${shortMessage ?? ''}\n${details ?? ''}\n${message ?? ''}`),
  );

/** The innermost code: a library calls whatever fails while a chain is added a refusal. */
const innermostCode = (layers: readonly Layer[]): number | undefined =>
  layers.findLast(({ code }) => typeof code === 'number')?.code;

function isRejection(layers: readonly Layer[]): boolean {
  const code = innermostCode(layers);
  if (code !== undefined) return REJECTED.has(code);
  return layers.some(({ name }) => name === 'UserRejectedRequestError');
}

/** Why a contract did not take it, as it or the node words it. */
export function revertReason(error: unknown): string | null {
  const layers = layersOf(error);
  for (const { details, message, reason, shortMessage } of layers) {
    if (typeof reason === 'string' && reason !== '' && reason !== 'execution reverted')
      return oneLine(reason);
    for (const text of [shortMessage, details, message]) {
      const found =
        /reverted(?: with (?:the following )?reason(?: string)?)?:\s*['"]?([^'"\n]+?)['"]?\.?\s*$/im.exec(
          text ?? '',
        )?.[1];
      if (found !== undefined && !/^(?:0x)?$/.test(found)) return oneLine(found);
    }
  }
  return null;
}

function waitWords(layers: readonly Layer[]): string {
  const retryAfter = layers
    .find(({ headers }) => headers instanceof Headers && headers.has('Retry-After'))
    ?.headers?.get('Retry-After');
  const seconds = Math.ceil((retryAfterHeaderMs(retryAfter, Date.now()) ?? 0) / 1_000);
  return seconds > 0
    ? `Try again in ${seconds} s: it asks for that long.`
    : 'Try again in a minute.';
}

type Reading = Pick<WalletFailure, 'kind' | 'happened' | 'next'> & { certain?: boolean };

/** Errors of the connection, by the library's own words, which stand first. */
function ofConnection(layers: readonly Layer[]): Reading | null {
  const names = new Set(layers.map(({ name }) => name));
  if (names.has('ChainNotConfiguredError'))
    return {
      kind: 'chain-not-configured',
      happened: 'Chain not configured.',
      next: 'Choose Base or Base Sepolia.',
      certain: true,
    };
  if (names.has('ConnectorAlreadyConnectedError'))
    return {
      kind: 'already-connected',
      happened: 'Connector already connected.',
      next: 'It is the wallet in use: there is nothing more to do.',
      certain: true,
    };
  if (names.has('ConnectorNotConnectedError'))
    return {
      kind: 'not-connected',
      happened: 'Connector not connected.',
      next: 'Connect the wallet again.',
      certain: true,
    };
  if (names.has('ProviderNotFoundError'))
    return {
      kind: 'absent',
      happened: 'Provider not found. This browser has no such wallet, or it is switched off here.',
      next: 'Install it or switch it on, load this page again, or choose another wallet.',
      certain: true,
    };
  if (names.has('SwitchChainNotSupportedError'))
    return {
      kind: 'no-switching',
      happened: closed(ownWords(layers)),
      next: 'Change the network in the wallet itself: this page follows.',
      certain: true,
    };
  if (names.has('ConnectorChainMismatchError') || names.has('ChainMismatchError')) {
    return {
      kind: 'wrong-chain',
      happened: 'The wallet is on another network than this was meant for.',
      next: 'Change the network above, then try again.',
      certain: true,
    };
  }
  if (said(layers, /User rejected switch after adding network/)) {
    return {
      kind: 'added-not-switched',
      happened: 'User rejected switch after adding network.',
      next: 'The wallet knows the network now: change to it when you like.',
      certain: true,
    };
  }
  return null;
}

/** Errors of the wallet itself, by their codes. */
function ofWallet(layers: readonly Layer[]): Reading | null {
  const code = innermostCode(layers);
  if (isRejection(layers))
    return { kind: 'rejected', happened: 'You declined in the wallet.', next: '', certain: true };
  if (said(layers, /pop-?up (?:window )?(?:was )?(?:blocked|failed to open)|window was blocked/i))
    return {
      kind: 'blocked-window',
      happened: "The browser blocked the wallet's window.",
      next: 'Allow pop-ups for this page, then try again.',
      certain: true,
    };
  if (code === 4902)
    return {
      kind: 'unknown-chain',
      happened: 'The wallet does not know this network, and it could not be added.',
      next: 'Add it in the wallet itself, then change to it here.',
      certain: true,
    };
  if (code === -32_002)
    return {
      kind: 'busy',
      happened: 'The wallet is already asking you something.',
      next: 'Open the wallet and answer there.',
      certain: true,
    };
  if (code === 4100)
    return {
      kind: 'unauthorised',
      happened: 'The wallet does not let this page use that account.',
      next: 'Allow it in the wallet, or disconnect and connect again.',
      certain: true,
    };
  if (code === 4200 || code === -32_601)
    return {
      kind: 'unsupported',
      happened: 'The wallet cannot do this.',
      next: 'Do it in the wallet itself, or use another wallet.',
      certain: true,
    };
  if (code === 4900 || code === 4901)
    return {
      kind: 'cut-off',
      happened: 'The wallet has no connection to the chain.',
      next: 'Look at its network, then try again.',
    };
  return null;
}

/** Errors of the chain and of the node in between. */
function ofChain(layers: readonly Layer[]): Reading | null {
  const names = new Set(layers.map(({ name }) => name));
  const code = innermostCode(layers);
  const status = layers.find((layer) => typeof layer.status === 'number')?.status;
  if (
    names.has('InsufficientFundsError') ||
    said(layers, /insufficient funds|exceeds the balance|exceeds balance/i)
  ) {
    return {
      kind: 'not-enough',
      happened: 'The wallet holds too little ETH for the amount and its network fee.',
      next: 'Send less, or add ETH first.',
      certain: true,
    };
  }
  if (names.has('ExecutionRevertedError') || code === 3 || said(layers, /execution reverted/i)) {
    const reason = revertReason({ cause: layers[0] });
    return {
      kind: 'reverted',
      happened:
        reason === null
          ? "The recipient's contract would refuse this, and gave no reason."
          : `The recipient's contract would refuse this: ${closed(reason)}`,
      next: 'Ask the recipient what it takes.',
      certain: true,
    };
  }
  if (
    names.has('NonceTooLowError') ||
    said(layers, /nonce too low|replacement transaction underpriced|already known/i)
  ) {
    return {
      kind: 'overtaken',
      happened: "The wallet has sent something else in this one's place.",
      next: "Look in the wallet's own list, then try again.",
    };
  }
  if (status === 429 || (code !== undefined && LIMITED.has(code)))
    return {
      kind: 'limited',
      happened: "The chain's node takes no more calls for now.",
      next: waitWords(layers),
    };
  if (names.has('TimeoutError'))
    return {
      kind: 'silent',
      happened: "The chain's node did not answer in time.",
      next: 'Try again.',
    };
  if (status !== undefined)
    return {
      kind: 'node-failed',
      happened: `The chain's node refused the call (${status}).`,
      next: waitWords(layers),
    };
  if (names.has('HttpRequestError'))
    return {
      kind: 'unreachable',
      happened: "The chain's node cannot be reached.",
      next: 'Look at your connection, then try again.',
    };
  return null;
}

const UNCHANGED: Record<Exclude<WalletAct, 'send'>, string> = {
  connect: 'Nothing was changed.',
  disconnect: 'The wallet may still be connected.',
  switch: 'Nothing was changed.',
  sign: 'Nothing was signed.',
  look: 'Nothing was sent.',
  read: 'Nothing was changed.',
};

export function walletFailure(error: unknown, act: WalletAct): WalletFailure {
  const layers = layersOf(error);
  const { certain = false, ...reading }: Reading = ofConnection(layers) ??
    ofWallet(layers) ??
    ofChain(layers) ?? { kind: 'other', happened: closed(ownWords(layers)), next: 'Try again.' };
  if (act !== 'send')
    return {
      ...reading,
      safe:
        reading.kind === 'added-not-switched'
          ? 'The wallet stays on the network where it was.'
          : UNCHANGED[act],
    };
  if (certain) return { ...reading, safe: 'Nothing was sent.' };
  // The wallet was asked and what came back is no answer: it may have sent.
  return {
    ...reading,
    safe: 'It is not known whether it was sent.',
    next: "Look in the wallet's own list before you try again.",
  };
}

/** The same in one line. */
export function walletSentence(error: unknown, act: WalletAct = 'connect'): string {
  const { happened, next, safe } = walletFailure(error, act);
  return [happened, safe, next].filter((part) => part !== '').join(' ');
}
