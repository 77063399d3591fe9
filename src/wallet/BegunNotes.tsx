/** Says of what was begun by a card on this device and whose end nobody here knows. */
import { Button } from '../components/Button.tsx';
import { formatWhen } from '../format/times.ts';
import { forgetBegun, useBegunPayments, type BegunKind } from './begun-payments.ts';

const AGAIN: Record<BegunKind, string> = { payment: 'pay', swap: 'swap', mint: 'mint' };

export function BegunNotes({ kind, except }: { kind: BegunKind; except: string | null }) {
  return useBegunPayments(kind)
    .filter(({ id }) => id !== except)
    .map(({ at, id }) => (
      <div key={id} role="status" className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <p className="max-w-[64ch] text-amber">
          A {kind} was begun at {formatWhen(at)}. Check your wallet&rsquo;s history before you{' '}
          {AGAIN[kind]} again.
        </p>
        <Button
          size="sm"
          onClick={() => {
            forgetBegun(id);
          }}
        >
          Dismiss
        </Button>
      </div>
    ));
}
