/** What the free trial is, in plain words, before it starts. */
import { agentCap } from '../../../contract/tiers.ts';
import { TRIAL_DAYS } from '../content/stated-figures.ts';

const TERMS = [
  `${TRIAL_DAYS} days of the Standard plan, with up to ${agentCap('trial')} agents.`,
  'No card, no payment. You can use it once.',
  'It ends by itself. Then agents open no new positions; stop losses stay active and you keep your history.',
];

export function TrialConsent() {
  return (
    <section aria-label="Free trial" className="mt-5 rounded-md bg-sunken px-4 py-3">
      <h3 className="font-medium">The free trial starts with the next step</h3>
      <ul className="mt-1 flex list-disc flex-col gap-1 pl-5 text-ink-2">
        {TERMS.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  );
}
