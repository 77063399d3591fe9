/** The risk profiles of an agent that will trade real money, by its exchange account and limits. */
import { loadMarket, marketStore } from '../../../stores/market-store.ts';
import { loadSettings, settingsStore } from '../../../stores/settings-store.ts';
import { equityOfAgents, liveRisk, takerFeeBps } from '../../live/start/live-risk.ts';
import { useLiveAccount } from '../../live/use-live.ts';
import { useSlot } from '../../use-store.ts';
import { PresetChoice, type PresetProps, type WorstLoss } from './RiskPresets.tsx';

const ONE_PAIR = [null];

export function LiveRiskPresets({
  connectionId,
  ...props
}: PresetProps & { connectionId: string }) {
  useSlot(settingsStore, loadSettings);
  const account = useLiveAccount(connectionId).data;
  const source = useSlot(marketStore, loadMarket).data?.source;
  const feeBps = takerFeeBps(source, account?.connection.exchange);
  // Before the first comparison nothing is known of what is there.
  const isRead = account !== null && account.connection.reconciledAt !== null;
  const equity = isRead ? equityOfAgents(account) : null;
  const worstOf = (size: number, risk: Parameters<WorstLoss>[1]): ReturnType<WorstLoss> => {
    if (account === null || equity === null) return null;
    const agent = { max_position_size: size, trading_pairs: ONE_PAIR };
    const { position, atStops } = liveRisk(
      agent,
      equity,
      account.connection.limits,
      risk,
      feeBps ?? 0,
    );
    return { position, loss: atStops };
  };
  return (
    <PresetChoice
      {...props}
      worstOf={worstOf}
      why={isRead ? 'Something your agents hold has no price' : 'Exchange account not read yet'}
      hasFees={feeBps !== null}
      money="Real money, within the limits of the exchange account."
    />
  );
}
