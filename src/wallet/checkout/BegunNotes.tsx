/** Says of payments that were begun on this device and whose end nobody here knows. */
import { Button } from '../../components/Button.tsx';
import { formatWhen } from '../../format/times.ts';
import { forgetPayment, useBegunPayments } from './begun-payments.ts';

export function BegunNotes({ except }: { except: string | null }) {
  return useBegunPayments()
    .filter(({ id }) => id !== except)
    .map(({ at, id }) => (
      <div key={id} role="status" className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <p className="max-w-[64ch] text-amber">
          A payment was begun at {formatWhen(at)}. Check your wallet&rsquo;s history before you pay
          again.
        </p>
        <Button
          size="sm"
          onClick={() => {
            forgetPayment(id);
          }}
        >
          Dismiss
        </Button>
      </div>
    ));
}
