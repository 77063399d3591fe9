/**
 * A user's referral code and link, sign-ups and rewards. Names of referred people are not shown.
 */
import { Suspense } from 'react';
import { useSnapshot } from 'valtio';
import {
  REFERRAL_NEW_DAYS,
  REFERRAL_REWARDS_A_YEAR,
  type Referral,
  type ReferralState,
} from '../../../contract/referrals.ts';
import { EmptyState, ReadError, Skeleton, SkeletonRows } from '../../components/EmptyState.tsx';
import { Line, ScreenTitle, Section } from '../../components/Section.tsx';
import { ShareText } from '../../components/ShareText.tsx';
import { StatusBadge, type BadgeTone } from '../../components/Tags.tsx';
import { screenPart } from '../../components/screen-part.tsx';
import { formatDate } from '../../format/times.ts';
import { connection } from '../../stores/connection.ts';
import { useCallable } from '../use-callable.ts';
import { formatNumber } from '../../format/numbers.ts';

const QrCode = screenPart(() => import('./QrCode.tsx'));

const STATE_TEXT: Record<ReferralState, { label: string; tone: BadgeTone }> = {
  joined: { label: 'Signed up', tone: 'neutral' },
  earned: { label: 'Paid for a plan', tone: 'good' },
  unrewarded: { label: 'Paid, over this year’s limit', tone: 'attention' },
};

/** Noon UTC, so that a date is the same day in every time zone. */
const dayText = (day: string): string => formatDate(Date.parse(`${day}T12:00:00Z`));
const days = (count: number): string => `${count} ${count === 1 ? 'day' : 'days'}`;

function Invite({ code }: { code: string }) {
  const url = `${location.origin}/ref/${code}`;
  return (
    <Section title="Your link">
      <div className="rule flex flex-wrap items-start gap-x-6 gap-y-4 pt-3">
        <div className="min-w-0 flex-1 basis-64">
          <p className="text-ink-3">Code</p>
          <p className="text-xl font-semibold tracking-[0.12em] tabular-nums select-all">{code}</p>
          <div className="mt-2">
            <ShareText
              label="Share link"
              what={{
                title: 'Tradewind',
                text: 'Automated crypto trading agents with paper money:',
                url,
              }}
            />
          </div>
        </div>
        <Suspense fallback={<Skeleton className="size-44 rounded-md" />}>
          <QrCode text={url} label={`QR code of ${url}`} />
        </Suspense>
      </div>
    </Section>
  );
}

function Joined({ referral }: { referral: Referral }) {
  const { joined, joinedCount } = referral;
  return (
    <Section title="Sign-ups" aside={joinedCount === 0 ? undefined : formatNumber(joinedCount)}>
      {joined.length === 0 ? (
        <EmptyState title="No sign-ups yet">
          People who sign up with your link appear here with the date and their progress. Names and
          emails stay private.
        </EmptyState>
      ) : (
        <ul>
          {joined.map(({ day, state }, index) => (
            <li key={index} className="rule row flex items-center justify-between gap-4 py-1.5">
              <span className="tabular-nums">{dayText(day)}</span>
              <StatusBadge tone={STATE_TEXT[state].tone}>{STATE_TEXT[state].label}</StatusBadge>
            </li>
          ))}
        </ul>
      )}
      {joinedCount > joined.length && (
        <p className="rule py-2 text-xs text-ink-3">
          The newest {formatNumber(joined.length)} of {formatNumber(joinedCount)}.
        </p>
      )}
    </Section>
  );
}

function Earned({ referral: { days: earned, rewardDays, invitedOn } }: { referral: Referral }) {
  return (
    <Section title="Earned">
      <dl>
        <Line term="Added to your plan or trial">
          <span className="tabular-nums">{days(earned.added)}</span>
        </Line>
        <Line term="Waiting for a plan">
          <span className="tabular-nums">{days(earned.waiting)}</span>
        </Line>
        {invitedOn !== null && <Line term="You signed up by a link on">{dayText(invitedOn)}</Line>}
      </dl>
      <ul className="rule flex list-disc flex-col gap-1.5 py-3 pl-5 text-ink-2">
        <li>
          When someone you referred pays for their first plan, you both get {rewardDays} free days.
          Your current plan is extended by that time.
        </li>
        <li>
          Without an active plan or trial, the days are saved for your next one. Cancelled plans are
          not extended.
        </li>
        <li>
          Up to {REFERRAL_REWARDS_A_YEAR} rewards per year. A link works once per account, within
          its first {REFERRAL_NEW_DAYS} days, and not for your own account.
        </li>
      </ul>
    </Section>
  );
}

function ReferralSkeleton() {
  return (
    <div className="grid max-w-5xl gap-x-12 gap-y-8 lg:grid-cols-2">
      <Section title="Your link">
        <div className="rule flex min-h-56 items-start gap-6 pt-3">
          <Skeleton className="h-8 w-40" />
        </div>
      </Section>
      <Section title="Earned">
        <SkeletonRows rows={4} label="Rewards" />
      </Section>
    </div>
  );
}

export default function ReferralsScreen() {
  const { data, error, again } = useCallable('referral');
  const { online } = useSnapshot(connection);
  return (
    <>
      <ScreenTitle title="Referrals" />
      {error !== null && online !== 'offline' && (
        <div className="mb-4">
          <ReadError message={error} hasData={data !== null} onRetry={again} />
        </div>
      )}
      {data === null && online === 'offline' && (
        <EmptyState title="Your code is not saved on this device">
          It appears when you're back online.
        </EmptyState>
      )}
      {data === null && online !== 'offline' && error === null && <ReferralSkeleton />}
      {data !== null && (
        <div className="grid max-w-5xl gap-x-12 gap-y-8 lg:grid-cols-2">
          <Invite code={data.code} />
          <Earned referral={data} />
          <Joined referral={data} />
        </div>
      )}
    </>
  );
}
