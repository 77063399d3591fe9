/** What a wallet's failure is for a person: what happened, what is safe, what to do. */
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
    | 'closed-window'
    | 'no-transaction'
    | 'overtaken'
    | 'known'
    | 'other';
  happened: string;
  safe: string;
  /** Empty where the user can simply continue. */
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

/**
 * A wallet's answer to a send that names no transaction: one for several signers answers so, and
 * one that puts the transfer in a queue.
 */
export class NoTransactionError extends Error {
  override name = 'NoTransactionError';
}

/** What failed before the wallet was asked: nothing can have been sent. */
export class NotAskedError extends Error {
  override name = 'NotAskedError';
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

/** The first line of the outermost error that has a message. */
function ownText(layers: readonly Layer[]): string {
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

const isLate = (layers: readonly Layer[]): boolean => said(layers, /\btimed? ?-?out\b/i);

/** The innermost code: a library calls whatever fails while a chain is added a refusal. */
const innermostCode = (layers: readonly Layer[]): number | undefined =>
  layers.findLast(({ code }) => typeof code === 'number')?.code;

function isRejection(layers: readonly Layer[]): boolean {
  const code = innermostCode(layers);
  if (code !== undefined) return REJECTED.has(code);
  return layers.some(({ name }) => name === 'UserRejectedRequestError');
}

/**
 * A smart wallet's library rejects whatever is pending with these words when the wallet's window
 * closes, also where the person has confirmed inside.
 */
const isClosedWindow = (layers: readonly Layer[]): boolean =>
  isRejection(layers) && said(layers, /^(?:Details: )?Request rejected$/m);

/** Why a contract reverted, in its own words or the node's. */
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

function waitText(layers: readonly Layer[]): string {
  const retryAfter = layers
    .find(({ headers }) => headers instanceof Headers && headers.has('Retry-After'))
    ?.headers?.get('Retry-After');
  const seconds = Math.ceil((retryAfterHeaderMs(retryAfter, Date.now()) ?? 0) / 1_000);
  return seconds > 0 ? `Try again in ${seconds} s.` : 'Try again in a minute.';
}

type Reading = Pick<WalletFailure, 'kind' | 'happened' | 'next'> & {
  certain?: boolean;
  /** What is safe after a send, where that is more than usual. */
  afterSend?: string;
};

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
      next: 'This wallet is already in use. You can continue.',
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
      happened:
        'Provider not found. The wallet is not installed in this browser, or it is disabled.',
      next: 'Install or enable it and reload this page, or choose another wallet.',
      certain: true,
    };
  if (names.has('SwitchChainNotSupportedError'))
    return {
      kind: 'no-switching',
      happened: closed(ownText(layers)),
      next: 'Change the network in your wallet. This page follows.',
      certain: true,
    };
  if (names.has('ConnectorChainMismatchError') || names.has('ChainMismatchError')) {
    return {
      kind: 'wrong-chain',
      happened: 'Your wallet is on a different network.',
      next: 'Change the network above, then try again.',
      certain: true,
    };
  }
  if (said(layers, /User rejected switch after adding network/)) {
    return {
      kind: 'added-not-switched',
      happened: 'User rejected switch after adding network.',
      next: 'The network was added. You can switch to it at any time.',
      certain: true,
    };
  }
  return null;
}

/** Only a send can have an effect that the page does not hear of. */
function ofSend(layers: readonly Layer[]): Reading | null {
  if (isClosedWindow(layers))
    return {
      kind: 'closed-window',
      happened: "Your wallet's window was closed before it answered.",
      next: '',
    };
  if (layers.some(({ name }) => name === 'NoTransactionError'))
    return {
      kind: 'no-transaction',
      happened: 'Your wallet answered without a transaction.',
      next: '',
    };
  return null;
}

/**
 * A wallet says by this code that it is asking for something else. A node says by it that it took
 * too long, and a wallet may hand that on after it has sent.
 */
function ofBusy(layers: readonly Layer[], act: WalletAct): Reading | null {
  if (innermostCode(layers) !== -32_002) return null;
  if (isLate(layers))
    return {
      kind: 'silent',
      happened: 'The network node did not answer in time.',
      next: 'Try again.',
    };
  const isPending = said(
    layers,
    /\balready (?:a )?(?:pending|processing)\b|\brequest is (?:still )?pending\b/i,
  );
  if (act === 'send' && !isPending) return null;
  return {
    kind: 'busy',
    happened: 'Your wallet is waiting for another answer.',
    next: 'Open your wallet and answer there.',
    certain: true,
  };
}

/** Errors of the wallet itself, by their codes. */
function ofWallet(layers: readonly Layer[]): Reading | null {
  const code = innermostCode(layers);
  if (isRejection(layers))
    return { kind: 'rejected', happened: 'You declined in your wallet.', next: '', certain: true };
  if (said(layers, /pop-?up (?:window )?(?:was )?(?:blocked|failed to open)|window was blocked/i))
    return {
      kind: 'blocked-window',
      happened: "Your browser blocked the wallet's window.",
      next: 'Allow pop-ups for this page, then try again.',
      certain: true,
    };
  if (code === 4902)
    return {
      kind: 'unknown-chain',
      happened: 'Your wallet does not have this network, and it could not be added.',
      next: 'Add it in your wallet, then change to it here.',
      certain: true,
    };
  if (code === 4100)
    return {
      kind: 'unauthorised',
      happened: 'Your wallet does not allow this page to use that account.',
      next: 'Allow it in your wallet, or disconnect and connect again.',
      certain: true,
    };
  if (code === 4200 || code === -32_601)
    return {
      kind: 'unsupported',
      happened: 'Your wallet does not support this.',
      next: "Use the wallet's own app, or another wallet.",
      certain: true,
    };
  if (code === 4900 || code === 4901)
    return {
      kind: 'cut-off',
      happened: 'Your wallet is not connected to the network.',
      next: 'Check its network, then try again.',
    };
  return null;
}

/** Where the sender's place in the chain is taken, by this transfer itself or by another. */
function ofPlace(layers: readonly Layer[]): Reading | null {
  // A library counts this one among the nonces that are too low.
  if (said(layers, /already known|transaction already imported/i))
    return {
      kind: 'known',
      happened: 'The network already has this transfer.',
      next: 'Try again.',
      afterSend: 'Its outcome is not known yet.',
    };
  if (
    layers.some(({ name }) => name === 'NonceTooLowError') ||
    said(layers, /nonce too low|replacement transaction underpriced/i)
  ) {
    return {
      kind: 'overtaken',
      happened: 'Your wallet sent another transaction in its place.',
      next: "Check your wallet's history, then try again.",
    };
  }
  return null;
}

/** Errors of the chain and of the node in between. */
function ofChain(layers: readonly Layer[]): Reading | null {
  const names = new Set(layers.map(({ name }) => name));
  const code = innermostCode(layers);
  const status = layers.find((layer) => typeof layer.status === 'number')?.status;
  if (
    names.has('InsufficientFundsError') ||
    said(layers, /insufficient funds|exceeds (?:the |transaction sender account )?balance/i)
  ) {
    return {
      kind: 'not-enough',
      happened: 'Your wallet does not have enough ETH for the amount and the network fee.',
      next: 'Send less, or add ETH first.',
      certain: true,
    };
  }
  if (
    names.has('ExecutionRevertedError') ||
    code === 3 ||
    said(layers, /execution reverted|gas required exceeds allowance/i)
  ) {
    const reason = revertReason({ cause: layers[0] });
    return {
      kind: 'reverted',
      happened:
        reason === null
          ? "The recipient's contract would reject this and gave no reason."
          : `The recipient's contract would reject this: ${closed(reason)}`,
      next: 'Ask the recipient what it accepts.',
      certain: true,
    };
  }
  const placed = ofPlace(layers);
  if (placed !== null) return placed;
  if (status === 429 || (code !== undefined && LIMITED.has(code)))
    return {
      kind: 'limited',
      happened: 'The network node is busy.',
      next: waitText(layers),
    };
  if (names.has('TimeoutError'))
    return {
      kind: 'silent',
      happened: 'The network node did not answer in time.',
      next: 'Try again.',
    };
  if (status !== undefined)
    return {
      kind: 'node-failed',
      happened: `The network node rejected the request (${status}).`,
      next: waitText(layers),
    };
  if (names.has('HttpRequestError'))
    return {
      kind: 'unreachable',
      happened: 'The network node cannot be reached.',
      next: 'Check your connection, then try again.',
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
  const {
    afterSend,
    certain = false,
    ...reading
  }: Reading = ofConnection(layers) ??
    (act === 'send' ? ofSend(layers) : null) ??
    ofBusy(layers, act) ??
    ofWallet(layers) ??
    ofChain(layers) ?? { kind: 'other', happened: closed(ownText(layers)), next: 'Try again.' };
  if (act !== 'send')
    return {
      ...reading,
      safe:
        reading.kind === 'added-not-switched'
          ? 'Your wallet stays on its current network.'
          : UNCHANGED[act],
    };
  if (certain || layers.some(({ name }) => name === 'NotAskedError'))
    return { ...reading, safe: 'Nothing was sent.' };
  // The wallet was asked and what came back is no answer: it may have sent.
  return {
    ...reading,
    safe: afterSend ?? 'We do not know whether it was sent.',
    next: "Check your wallet's history before you try again.",
  };
}

/** The same in one sentence. */
export function walletSentence(error: unknown, act: WalletAct = 'connect'): string {
  const { happened, next, safe } = walletFailure(error, act);
  return [happened, safe, next].filter((part) => part !== '').join(' ');
}
