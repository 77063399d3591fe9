/** What the contract takes of a confirmation can be handed on: the signer's own form takes it too. */
import * as z from 'zod';
import { describe, expect, it } from 'vitest';
import { ConfirmationBody, LiveLimitsBody, StepUpWire } from '../../contract/live.ts';
import { SpendingLimits, StepUpStatement, StepUpToken } from '../../contract/signer.ts';
import { jsonSchemaOf, valuesOf } from '../support/attack/schema-values.ts';
import fc from '../support/property.ts';

const STATEMENT = {
  purpose: 'start_agent',
  connectionId: 'connection',
  accountId: 'account',
  agentId: null,
  limits: { maxOrder: '1', maxExposure: '1', maxDailyLoss: '1' },
  nonce: 'n'.repeat(22),
  issuedAtMs: 0,
};
const TOKEN = { statement: STATEMENT, keyId: 'key', signature: 'AAAA' };
/** What a form would not show, and its schema once did not say. */
const ODD: readonly unknown[] = [
  { ...TOKEN, keyId: 'no id' },
  { ...TOKEN, keyId: '' },
  { ...TOKEN, signature: '' },
  { ...TOKEN, signature: 'é=' },
  ...['-1', '-0.000000000001', '-0', '000', '1.'].map((maxOrder) => ({
    ...TOKEN,
    statement: { ...STATEMENT, limits: { ...STATEMENT.limits, maxOrder } },
  })),
];

describe('a confirmation that the contract takes', () => {
  it('is one that the signer reads', () => {
    const taken = (wire: unknown): void => {
      if (!StepUpWire.safeParse(wire).success) return;
      expect(z.safeDecode(StepUpToken, wire as never).error, JSON.stringify(wire)).toBeUndefined();
    };
    taken(TOKEN);
    ODD.forEach(taken);
    fc.assert(fc.property(valuesOf(jsonSchemaOf(StepUpWire)), taken));
  });

  it('has limits that are limits', () => {
    fc.assert(
      fc.property(valuesOf(jsonSchemaOf(LiveLimitsBody)), (body) => {
        const parsed = LiveLimitsBody.safeParse(body);
        if (parsed.success && parsed.data.limits !== undefined)
          expect(z.safeDecode(SpendingLimits, parsed.data.limits).error).toBeUndefined();
      }),
    );
  });

  it('is asked for by words that a statement can hold', () => {
    fc.assert(
      fc.property(valuesOf(jsonSchemaOf(ConfirmationBody)), (body) => {
        const parsed = ConfirmationBody.safeParse(body);
        if (!parsed.success) return;
        const { purpose, agentId, limits } = parsed.data;
        const statement = { ...STATEMENT, purpose, agentId, limits: limits ?? STATEMENT.limits };
        expect(z.safeDecode(StepUpStatement, statement as never).error).toBeUndefined();
      }),
    );
  });
});
