/** A change of plan in words: date, cost, gains and losses. */
import type { ChangePreview, ChargePreview } from '../../../contract/plan-change.ts';
import type { Permission } from '../../../contract/permission.ts';
import type { Subscription } from '../../../contract/subscription.ts';
import { FEATURES } from '../../billing/offers.ts';
import { formatAmount } from '../../format/numbers.ts';
import { formatDate } from '../../format/times.ts';

function placesText(before: number, after: number): string {
  if (before === after) return '';
  if (before === 0) return `up to ${after} agents`;
  return after === 0 ? `all ${before} agents` : `${after} agents instead of ${before}`;
}

/**
 * What the new plan adds and what it lacks. The number of agents is listed once, on the side it
 * belongs to.
 */
export function comesAndGoes({ gained, lost }: Pick<ChangePreview, 'gained' | 'lost'>): {
  gets: string[];
  givesUp: string[];
} {
  const agents = (list: readonly Permission[]): number =>
    list.find(({ resource }) => resource === 'agents')?.conditions?.maxCount ?? 0;
  const [before, after] = [agents(lost), agents(gained)];
  const counted = placesText(before, after);
  return {
    gets: [...(after > before ? [counted] : []), ...gained.flatMap(permissionText)],
    givesUp: [...(after < before ? [counted] : []), ...lost.flatMap(lossText)],
  };
}

/** In the words of the plan table. Permissions without a row there are not listed. */
function permissionText({ resource, action }: Permission): string[] {
  return FEATURES.filter(
    (feature) => feature.resource === resource && feature.action === action,
  ).map(({ name }) => name);
}

/** Own risk values are kept, because a change of plan must not change how agents trade. */
const lossText = (permission: Permission): string[] =>
  permission.resource === 'trading' && permission.action === 'standard'
    ? ['changing your own risk values (saved ones stay in effect)']
    : permissionText(permission);

const isZero = (text: string): boolean => !/[1-9]/.test(text);

/** When the change takes effect. */
export function whenText({
  kind,
  effectiveAt,
  servedAt,
}: Pick<ChangePreview, 'kind' | 'effectiveAt' | 'servedAt'>): string {
  switch (kind) {
    case 'end':
      if (effectiveAt <= servedAt)
        return 'Your plan ends as soon as you confirm. The unpaid invoice is canceled.';
      return `Your plan stays active until ${formatDate(effectiveAt)}, the end of the paid period.`;
    case 'none':
      return 'This is your current plan.';
    case 'upgrade':
    case 'downgrade':
    case 'start':
      return 'Takes effect as soon as you confirm.';
  }
}

/** What came of a cancellation, by the server's own word. */
export function endedText(left: Subscription | null): string {
  if (left?.cancelAtPeriodEnd !== true || left.status === 'canceled') return 'Your plan has ended.';
  return left.currentPeriodEnd === null
    ? 'Your plan ends with the paid period.'
    : `Your plan ends on ${formatDate(left.currentPeriodEnd)}. Until then, nothing changes.`;
}

/** Amounts of a change, one per line. */
export function chargeLines({
  dueNow,
  credit,
  renewal,
  currency,
}: ChargePreview): { term: string; amount: string }[] {
  return [
    {
      term: 'Due now',
      amount: isZero(dueNow) ? 'Nothing' : `${formatAmount(dueNow)} ${currency}`,
    },
    ...(isZero(credit)
      ? []
      : [{ term: 'Credit for later invoices', amount: `${formatAmount(credit)} ${currency}` }]),
    {
      term:
        renewal.at === null
          ? `Then each ${renewal.interval}`
          : `Each ${renewal.interval} from ${formatDate(renewal.at)}`,
      amount: `${formatAmount(renewal.amount)} ${currency}`,
    },
  ];
}
