/** A wallet's failure on screen: what happened, what is safe and what to do. */
import { CircleAlert } from 'lucide-react';
import { walletFailure, type WalletAct } from './wallet-errors.ts';

export function FailureNote({ error, act }: { error: unknown; act: WalletAct }) {
  if (error === null || error === undefined) return null;
  const { happened, kind, next, safe } = walletFailure(error, act);
  return (
    <p
      role="alert"
      data-failure={kind}
      className="my-3 flex max-w-[64ch] items-start gap-2 border-l-2 border-danger py-1 pl-3"
    >
      <CircleAlert className="mt-0.5 size-4 shrink-0 text-danger" aria-hidden />
      <span>
        <span className="text-danger">{happened}</span> {safe}
        {next === '' ? '' : ` ${next}`}
      </span>
    </p>
  );
}
