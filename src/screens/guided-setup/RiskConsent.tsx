/** The risks in two sentences, which the user confirms before an agent starts. */
import { useEffect, useId, useRef } from 'react';
import { Link } from 'wouter';
import { SETUP_PATH } from './setup-progress.ts';

const BOX =
  'flex cursor-pointer items-start gap-3 rounded-md border border-line-strong/60 p-3 ' +
  'has-focus-visible:outline-2 has-focus-visible:outline-accent';

interface RiskConsentProps {
  accepted: boolean;
  /** The user pressed Start without consent: shows the error and focuses the box. */
  missing: boolean;
  onChange: (accepted: boolean) => void;
}

export function RiskConsent({ accepted, missing, onChange }: RiskConsentProps) {
  const id = useId();
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (missing) box.current?.focus();
  }, [missing]);
  return (
    <section aria-label="Risks" className="mt-5">
      <label className={BOX}>
        <input
          ref={box}
          type="checkbox"
          checked={accepted}
          aria-invalid={missing || undefined}
          aria-describedby={missing ? id : undefined}
          onChange={(event) => {
            onChange(event.target.checked);
          }}
          className="mt-0.5 size-5 shrink-0 accent-accent"
        />
        <span>
          I understand the risks: you can lose all the money you invest, and a price gap can lose
          more than a stop loss allows. This agent trades with paper money.
        </span>
      </label>
      <p id={id} aria-live="polite" className="mt-1 text-sm text-danger empty:mt-0">
        {missing ? 'Confirm that you understand the risks to start the agent.' : ''}
      </p>
      <Link
        href={`/risk-disclosure?from=${encodeURIComponent(SETUP_PATH)}`}
        className="flex min-h-11 w-fit items-center text-ink-2 underline underline-offset-2 hover:text-ink"
      >
        Read the full risk disclosure
      </Link>
    </section>
  );
}
