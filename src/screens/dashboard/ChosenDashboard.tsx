/** The dashboard while an exchange account is chosen: what needs the user, then the account. */
import { useSnapshot } from 'valtio';
import { accountChoice } from '../../stores/account-choice.ts';
import { ChosenAccount } from '../live/account/LiveAccountScreen.tsx';
import { useAgentViews } from '../use-store.ts';
import { NeedsYou } from './NeedsYou.tsx';

export default function ChosenDashboard() {
  const { chosen } = useSnapshot(accountChoice);
  const { views } = useAgentViews();
  return (
    <>
      <div className="mb-7 empty:hidden">
        <NeedsYou views={views ?? []} below={chosen} />
      </div>
      <ChosenAccount />
    </>
  );
}
