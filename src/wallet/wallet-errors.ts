/** What a wallet's failure is in a sentence; refuses to show a stack or a provider's long text. */

const REJECTED_CODE = 4001;
const SENTENCE_MAX = 200;

interface WalletFailure {
  name?: string;
  code?: number;
  shortMessage?: string;
  message?: string;
  cause?: unknown;
}

function isRejection(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 5) return false;
  const { cause, code, name } = error as WalletFailure;
  return name === 'UserRejectedRequestError' || code === REJECTED_CODE || isRejection(cause, depth + 1);
}

/** The wallet library's own short sentence, or plain words where the person said no. */
export function walletSentence(error: unknown): string {
  if (isRejection(error)) return 'You declined in the wallet. Nothing was changed.';
  if (typeof error !== 'object' || error === null) return 'The wallet did not answer.';
  const { message, shortMessage } = error as WalletFailure;
  const [line = ''] = (shortMessage ?? message ?? '').split('\n');
  return line.trim() === '' ? 'The wallet did not answer.' : line.trim().slice(0, SENTENCE_MAX);
}
