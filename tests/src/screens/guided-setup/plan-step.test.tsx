// @vitest-environment happy-dom
/** The review step of the guided setup: the part with a field to correct opens, and stays open. */
import '../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, expect, it, vi } from 'vitest';

const never = () => new Promise<never>(() => undefined);
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call: never, marketData: never, marketOverview: never, marketPools: never },
}));

const { PlanStep } = await import('../../../../src/screens/guided-setup/PlanStep.tsx');
const { NEW_AGENT } = await import('../../../../src/screens/agents/create/agent-draft.ts');

/** As the screen does it: a press finds the faults, and any change takes them back. */
function Step() {
  const [draft, setDraft] = useState({ ...NEW_AGENT, risk_profile: 'Moderate' });
  const [issues, setIssues] = useState<Record<string, string>>({});
  return (
    <PlanStep
      answers={[1, 1, 1, 1]}
      draft={draft}
      quote="USDT"
      entry="plan"
      need={{ resource: 'trading', action: 'basic', agents: 1 }}
      busy={false}
      issues={issues}
      failure={null}
      onChange={(part) => {
        setIssues({});
        setDraft((before) => ({ ...before, ...part }));
      }}
      onNext={() => {
        setIssues({ name: 'Required' });
      }}
      onBack={() => undefined}
    />
  );
}
const fields = (): HTMLDetailsElement =>
  screen.getByText('Change what it trades').closest('details')!;
const next = (): void => {
  fireEvent.click(screen.getByRole('button', { name: 'Continue to preview' }));
};

afterEach(cleanup);

it('keeps the field to correct open while it is typed in, and opens it again at the next fault (R2-16)', async () => {
  render(<Step />);
  expect(fields().open).toBe(false);
  next();
  await waitFor(() => {
    expect(fields().open).toBe(true);
  });
  fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'H' } });
  expect(screen.queryByText('Required')).toBeNull();
  expect(fields().open).toBe(true);
  fields().open = false;
  fireEvent(fields(), new Event('toggle'));
  next();
  await waitFor(() => {
    expect(fields().open).toBe(true);
  });
});
