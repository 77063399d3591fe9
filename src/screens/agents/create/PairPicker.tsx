/** Chooses the pairs of an agent, with a search. */
import { useId, useMemo, useState } from 'react';
import { AGENT_PAIRS_MAX } from '../../../../contract/limits.ts';
import { Field } from '../../../components/Field.tsx';

/** With fewer pairs there is no search. */
const SEARCH_FROM = 13;
const SHOWN_MAX = 60;

export interface PairPickerProps {
  offered: readonly string[];
  chosen: readonly string[];
  onChange: (pairs: string[]) => void;
  error: string | undefined;
  hint: string;
}

interface PairButtonProps {
  pair: string;
  on: boolean;
  disabled: boolean;
  onPress: () => void;
}

function PairButton({ pair, on, disabled, onPress }: PairButtonProps) {
  return (
    <button
      type="button"
      aria-pressed={on}
      disabled={disabled}
      onClick={onPress}
      className={`min-h-11 rounded-md border px-2.5 text-sm disabled:opacity-40 pointer-fine:min-h-8 ${on ? 'border-accent bg-accent-wash font-medium text-accent' : 'border-line-strong/60 text-ink-2 hover:border-line-strong hover:text-ink'}`}
    >
      {pair}
    </button>
  );
}

function PickerHead({ chosen, onClear }: { chosen: number; onClear: () => void }) {
  return (
    <div className="flex min-h-8 items-baseline justify-between gap-3">
      <span className="font-medium">Pairs</span>
      {chosen > 0 && (
        <button
          type="button"
          onClick={onClear}
          className="reach min-h-8 text-xs text-ink-3 underline underline-offset-2 hover:text-ink"
        >
          Clear {chosen}
        </button>
      )}
    </div>
  );
}

/** Every pair that was chosen since the form opened. One that is let go keeps its place. */
function useEverChosen(chosen: readonly string[]): readonly string[] {
  const [held, setHeld] = useState(chosen);
  const added = chosen.filter((pair) => !held.includes(pair));
  if (added.length > 0) setHeld([...held, ...added]);
  return held;
}

/** The pairs that match a search, and those of them that are shown. */
function usePairs(
  offered: readonly string[],
  chosen: readonly string[],
  wanted: string,
): { matching: string[]; shown: string[] } {
  const held = useEverChosen(chosen);
  // In the order of the offer, so that no press moves a pair under the finger. A chosen pair that
  // is not offered stands first, where it can be removed.
  const all = useMemo(
    () => [...held.filter((pair) => !offered.includes(pair)), ...offered],
    [offered, held],
  );
  const matching = all.filter((pair) => wanted === '' || pair.includes(wanted));
  const shown = matching.filter((pair, index) => index < SHOWN_MAX || held.includes(pair));
  return { matching, shown };
}

export function PairPicker({ offered, chosen, onChange, error, hint }: PairPickerProps) {
  const errorId = useId();
  const [query, setQuery] = useState('');
  const wanted = query.trim().toUpperCase();
  const { matching, shown } = usePairs(offered, chosen, wanted);
  const full = chosen.length >= AGENT_PAIRS_MAX;
  return (
    <fieldset
      className="min-w-0"
      aria-label="Pairs"
      aria-describedby={error === undefined ? undefined : errorId}
      tabIndex={-1}
      data-invalid={error === undefined ? undefined : ''}
    >
      <PickerHead
        chosen={chosen.length}
        onClear={() => {
          onChange([]);
        }}
      />
      <p className="text-xs text-ink-3">{hint}</p>
      {offered.length >= SEARCH_FROM && (
        <div className="mt-2">
          <Field
            label="Search pairs"
            value={query}
            placeholder="BTC"
            autoComplete="off"
            onChange={(event) => {
              setQuery(event.target.value);
            }}
          />
        </div>
      )}
      <div className="mt-2 flex max-h-48 flex-wrap gap-1.5 overflow-y-auto p-0.5">
        {shown.map((pair) => {
          const on = chosen.includes(pair);
          return (
            <PairButton
              key={pair}
              pair={pair}
              on={on}
              disabled={full && !on}
              onPress={() => {
                onChange(on ? chosen.filter((one) => one !== pair) : [...chosen, pair]);
              }}
            />
          );
        })}
        {matching.length === 0 && offered.length > 0 && (
          <p className="py-2 text-ink-3">No pair matches “{query.trim()}”.</p>
        )}
      </div>
      {matching.length > shown.length && (
        <p className="mt-1 text-xs text-ink-3">
          {matching.length - shown.length} more. Search to find them.
        </p>
      )}
      {full && (
        <p className="mt-1 text-xs text-amber">
          Limit of {AGENT_PAIRS_MAX} pairs per agent reached.
        </p>
      )}
      <p id={errorId} aria-live="polite" className="mt-1 text-sm text-danger empty:mt-0">
        {error}
      </p>
    </fieldset>
  );
}
