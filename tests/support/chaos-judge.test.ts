/** The judge of the runs on evidence made by hand. */
import { describe, expect, it } from 'vitest';
import type { QueuedRecord } from './device.ts';
import { Evidence, judgeRun, type AgentNow, type Receipt } from './chaos-judge.ts';
import { runPlan, HARMS } from './chaos-plan.ts';

const record = (commandId: string, intent = 'stop', uid = 'ada'): QueuedRecord => ({
  commandId,
  uid,
  intent,
  agentId: 'x',
  state: 'saved',
  sequence: 1,
  attempts: 0,
});
const receipt = (
  commandId: string,
  generation: number,
  uid = 'ada',
  outcome = 'stopped',
): Receipt => ({ uid, commandId, reply: { outcome, agent: { id: 'x', generation } } });
const agent = (generation: number, status = 'stopped'): AgentNow => ({
  id: 'x',
  name: 'Harbour',
  uid: 'ada',
  status,
  generation,
});

/** A start and a stop, each sent once and taken once. */
function clean(): { evidence: Evidence; receipts: Receipt[]; now: AgentNow[] } {
  const evidence = new Evidence();
  evidence.put(record('a', 'start'));
  evidence.put(record('b'));
  for (const commandId of ['a', 'b']) evidence.request({ commandId, tokenUid: 'ada' });
  return {
    evidence,
    receipts: [receipt('a', 2, 'ada', 'started'), receipt('b', 3)],
    now: [agent(3)],
  };
}
const verdictOf = ({ evidence, receipts, now }: ReturnType<typeof clean>) =>
  judgeRun(evidence, receipts, now, new Map([['x', 1]]), 0);

describe('the judge of the runs', () => {
  it('finds nothing wrong with what went well', () => {
    expect(verdictOf(clean())).toEqual({ lost: [], doubled: [], misdelivered: [] });
  });

  it('calls lost what was saved and never came, unless it was given up by name, taken back or shown', () => {
    const run = clean();
    run.evidence.put(record('c'));
    expect(verdictOf(run).lost).toEqual(['c']);
    run.evidence.discarded.add('c');
    expect(verdictOf(run).lost).toEqual([]);
  });

  it('calls doubled what was sent after a sign-out had discarded it, or after it was taken back unsent', () => {
    const run = clean();
    run.evidence.put(record('c'));
    run.evidence.discarded.add('c');
    run.evidence.seal('c', 'over by a sign-out');
    run.evidence.request({ commandId: 'c', tokenUid: 'ada' });
    run.evidence.put(record('d', 'start'));
    run.evidence.takenBack.set('d', 0);
    run.evidence.request({ commandId: 'd', tokenUid: 'ada' });
    expect(verdictOf(run).doubled).toHaveLength(2);
  });

  it('calls doubled an effect without a receipt, two in the wrong order, and what was done though shown as failed', () => {
    expect(verdictOf({ ...clean(), now: [agent(4)] }).doubled).toHaveLength(1);
    expect(
      verdictOf({
        ...clean(),
        receipts: [receipt('b', 2), receipt('a', 3, 'ada', 'started')],
        now: [agent(3, 'running')],
      }).doubled,
    ).toHaveLength(1);
    const run = clean();
    run.evidence.shown.set('b', 'failed');
    expect(verdictOf(run).doubled).toHaveLength(1);
  });

  it('calls lost a last word that does not hold', () => {
    expect(verdictOf({ ...clean(), now: [agent(3, 'running')] }).lost).toHaveLength(1);
  });

  it('calls misdelivered what was taken for another user, or sent with a token of one', () => {
    const run = clean();
    run.evidence.request({ commandId: 'a', tokenUid: 'ben' });
    expect(verdictOf(run).misdelivered).toHaveLength(1);
    expect(
      verdictOf({ ...clean(), receipts: [receipt('a', 2, 'ben', 'started'), receipt('b', 3)] })
        .misdelivered,
    ).toHaveLength(1);
  });

  it('draws the same run again from its seed and number alone, and every kind of harm in turn', () => {
    expect(runPlan(5, 37, HARMS, 4)).toEqual(runPlan(5, 37, HARMS, 4));
    expect(new Set(HARMS.map((_kind, index) => runPlan(5, 19 + index, HARMS, 4).kind)).size).toBe(
      HARMS.length,
    );
  });
});
