/** What the referral programme is today; refuses to show figures that nobody counts yet. */
import { ShareWords } from '../../components/ShareWords.tsx';
import { ScreenTitle, Section } from '../../components/Section.tsx';
import { keptReferral } from '../../shell/referral.ts';

export default function Referrals() {
  const invited = keptReferral();
  return (
    <>
      <ScreenTitle title="Referrals" />
      <Section title="Today" className="max-w-2xl">
        <p className="rule py-3 text-ink-2">A link of the form {location.host}/ref/CODE leads to the registration and keeps its code there. Rewards and codes of your own are not open yet, so there is nothing to count here.</p>
        {invited !== null && <p className="rule py-3">You came here with the code <strong>{invited}</strong>.</p>}
      </Section>
      <Section title="Tell somebody" className="mt-8 max-w-2xl">
        <ShareWords label="Share the link" what={{ title: 'Tradewind', text: 'Automated crypto trading agents on paper money:', url: `${location.origin}/` }} />
      </Section>
    </>
  );
}
