/** What the free trial is, in plain words, before it starts. */
import { useSnapshot } from 'valtio';
import { agentCap } from '../../../contract/tiers.ts';
import { subscriptionStore } from '../../stores/subscription-store.ts';

/** Names the days only where the server has said how many there are. */
function lengthText(days: number | undefined): string {
  const plan = `The Standard plan, with up to ${agentCap('trial')} agents`;
  return days === undefined ? `${plan}.` : `${plan}, for ${days} ${days === 1 ? 'day' : 'days'}.`;
}

const TERMS = [
  'No card, no payment. You can use it once.',
  'It ends by itself. Then agents open no new positions; stop losses stay active and you keep your history.',
];

export function TrialConsent() {
  const days = useSnapshot(subscriptionStore).data?.trial?.trialDays;
  return (
    <section aria-label="Free trial" className="mt-5 rounded-md bg-sunken px-4 py-3">
      <h3 className="font-medium">The free trial starts with the next step</h3>
      <ul className="mt-1 flex list-disc flex-col gap-1 pl-5 text-ink-2">
        {[lengthText(days), ...TERMS].map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  );
}
