/** Help that exists today: answers, and the facts to quote when asking; refuses a form that nobody reads. */
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import { Button } from '../../components/Button.tsx';
import { Line, ScreenTitle, Section } from '../../components/Section.tsx';
import { environment } from '../../environment.ts';
import { connection } from '../../stores/connection.ts';
import { loadMarket, marketStore } from '../../stores/market.ts';
import { useAuth } from '../../stores/security.ts';
import { tried } from '../act.ts';
import { useSlot } from '../reading.ts';

export default function Support() {
  const { online, stream } = useSnapshot(connection);
  const { subscriptionTier } = useAuth();
  const source = useSlot(marketStore, loadMarket).data?.source.label ?? 'not yet received';
  const facts: [string, string][] = [['App version', environment.appVersion], ['Server', online], ['Live updates', stream], ['Prices', source], ['Plan', subscriptionTier], ['Browser', navigator.userAgent]];
  return (
    <>
      <ScreenTitle title="Support" />
      <div className="grid max-w-5xl gap-x-12 gap-y-8 lg:grid-cols-2">
        <Section title="Answers">
          <ul>
            {[['/faq', 'Frequent questions'], ['/how-it-works', 'How it works'], ['/library', 'What the strategies do'], ['/security', 'Session and this device'], ['/stop-all', 'Stop all agents']].map(([to, label]) => <li key={to} className="rule"><Link href={to ?? '/'} className="row flex items-center hover:text-accent">{label}</Link></li>)}
          </ul>
        </Section>
        <Section title="Facts to quote" aside={<Button size="sm" tone="plain" onClick={() => { void tried(navigator.clipboard.writeText(facts.map(([term, value]) => `${term}: ${value}`).join('\n')), 'Copied.'); }}>Copy</Button>}>
          <dl>{facts.map(([term, value]) => <Line key={term} term={term}><span className="text-xs break-words text-ink-2">{value}</span></Line>)}</dl>
          <p className="rule py-3 text-ink-3">Requests to a person are not open in this version. Whoever runs this server is who to ask; these facts hold no personal data.</p>
        </Section>
      </div>
    </>
  );
}
