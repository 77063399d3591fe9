/** What an agent will do and at what risk, before it is started; refuses to start an Aggressive one by a tap. */
import type { Agent } from '../../../contract/agents.ts';
import { startAgent } from '../../commands.ts';
import { Button, LinkButton } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { HoldToConfirm } from '../../components/HoldToConfirm.tsx';
import { may } from '../../identity/security-context.ts';
import { useSecurity } from '../../stores/security.ts';
import { act } from '../act.ts';
import { planText } from './agent-words.ts';

/** Stop distance and loss halts of each profile, in percent, as the server applies them unless the person set their own. */
const RISK = { Conservative: { stop: 3, day: 2, drawdown: 10 }, Moderate: { stop: 5, day: 4, drawdown: 20 }, Aggressive: { stop: 8, day: 6, drawdown: 30 } } as const;

export function StartDialog({ agent, open, onOpenChange }: { agent: Agent; open: boolean; onOpenChange: (open: boolean) => void }) {
  const allowed = may(useSecurity(), 'trading', 'basic');
  const risk = RISK[agent.risk_profile];
  const start = (): void => { onOpenChange(false); act(startAgent(agent)); };
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={`Start ${agent.name}`} description={planText(agent)}
      actions={allowed
        ? <><Button onClick={() => { onOpenChange(false); }}>Cancel</Button>{agent.risk_profile === 'Aggressive' ? <HoldToConfirm label="Hold to start" sentence={planText(agent)} tone="primary" onConfirm={start} /> : <Button tone="primary" onClick={start}>Start</Button>}</>
        : <LinkButton to="/subscription" tone="primary">View Plans</LinkButton>}>
      {allowed
        ? <p className="text-ink-2">{agent.risk_profile}: each position is sold {risk.stop} % below its entry. The agent stops opening after losing {risk.day} % in a day or {risk.drawdown} % from its peak, unless you set your own values. A gap in price can lose more. Paper money.</p>
        : <p className="text-ink-2">Starting agents is part of Starter and of the free trial. Your agents are kept, and Stop always works.</p>}
    </Dialog>
  );
}
