/** The favourite button of a pair. */
import { Star as StarIcon } from 'lucide-react';
import { classes } from '../../components/class-names.ts';
import { toggleFavourite } from '../../stores/market-choices.ts';
import { pageToast } from '../../stores/toast-store.ts';
import { SYMBOL_CHOICES_MAX } from '../../../contract/limits.ts';

async function turn(symbol: string): Promise<void> {
  const result = await toggleFavourite(symbol);
  if (result === 'full') pageToast('error', `At most ${SYMBOL_CHOICES_MAX} favourites.`);
  if (result === 'not-kept')
    pageToast(
      'error',
      'This device could not save the favourite. It is lost when you close the page.',
    );
}

export function Star({
  symbol,
  on,
  className,
}: {
  symbol: string;
  on: boolean;
  className?: string;
}) {
  return (
    <button
      type="button"
      aria-pressed={on}
      aria-label={`Favourite ${symbol}`}
      onClick={() => {
        void turn(symbol);
      }}
      className={classes(
        'relative z-10 flex items-center justify-center rounded-sm hover:text-accent',
        on ? 'text-accent' : 'text-ink-3',
        className,
      )}
    >
      <StarIcon
        className="size-4"
        fill={on ? 'currentColor' : 'none'}
        strokeWidth={1.5}
        aria-hidden
      />
    </button>
  );
}
