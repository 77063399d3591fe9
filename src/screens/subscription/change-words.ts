/** A change of plan in words: when, what it costs, what comes and goes; refuses figures the server did not name. */
import type { ChangePreview, ChargePreview } from '../../../contract/plan-change.ts';
import type { Permission } from '../../../contract/tiers.ts';
import { FEATURES } from '../../billing/offers.ts';
import { formatAmount } from '../../format/numbers.ts';
import { formatDate } from '../../format/times.ts';

export function permissionText({ resource, action, conditions }: Permission): string {
  if (resource === 'agents') return `Up to ${conditions?.maxCount ?? 0} agents`;
  return FEATURES.find((feature) => feature.resource === resource && feature.action === action)?.name ?? `${resource}: ${action}`;
}

const isZero = (text: string): boolean => !/[1-9]/.test(text);

/** When it comes into force, and that nothing else does before. */
export function whenText({ kind, effectiveAt }: Pick<ChangePreview, 'kind' | 'effectiveAt'>): string {
  switch (kind) {
    case 'end': return `Ends on ${formatDate(effectiveAt)}, when what is paid has run out. Until then nothing changes.`;
    case 'none': return 'This is your plan already.';
    case 'upgrade': case 'downgrade': case 'start': return 'Comes into force as soon as it is confirmed.';
  }
}

/** Money of a change, one line each. */
export function chargeLines({ dueNow, credit, renewal, currency }: ChargePreview): { term: string; amount: string }[] {
  return [
    { term: 'To pay now', amount: isZero(dueNow) ? 'Nothing' : `${formatAmount(dueNow)} ${currency}` },
    ...(isZero(credit) ? [] : [{ term: 'Left over, for later invoices', amount: `${formatAmount(credit)} ${currency}` }]),
    { term: renewal.at === null ? `Then each ${renewal.interval}` : `Each ${renewal.interval} from ${formatDate(renewal.at)}`, amount: `${formatAmount(renewal.amount)} ${currency}` },
  ];
}
