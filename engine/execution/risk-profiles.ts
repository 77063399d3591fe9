/** The three risk profiles as numbers, and a user's own values on top of them. */
import type { RiskProfile, UserRiskProfile } from '../../contract/agents.ts';
import type { RiskValues } from './agent-types.ts';

/** Fractions: 0.05 is 5 %. Volatility targets are annual. */
export const RISK_PROFILES: Record<RiskProfile, RiskValues> = {
  Conservative: {
    threshold: 0.7,
    maxPosition: 0.05,
    stopLoss: 0.03,
    riskPerTrade: 0.0025,
    volatilityTarget: 0.1,
    dayLossHalt: 0.02,
    drawdownHalt: 0.1,
  },
  Moderate: {
    threshold: 0.55,
    maxPosition: 0.1,
    stopLoss: 0.05,
    riskPerTrade: 0.005,
    volatilityTarget: 0.2,
    dayLossHalt: 0.04,
    drawdownHalt: 0.2,
  },
  Aggressive: {
    threshold: 0.4,
    maxPosition: 0.2,
    stopLoss: 0.08,
    riskPerTrade: 0.01,
    volatilityTarget: 0.35,
    dayLossHalt: 0.06,
    drawdownHalt: 0.3,
  },
};

/**
 * A user's own percentages for a profile, on the wire's scale (5 is 5 %), as R5-09 to R5-11 allow.
 */
export interface OwnRiskValues {
  maxPositionPercentage: number;
  confidenceThreshold: number;
  stopLossPercentage: number;
}

/** The numbers of a profile; the user's own win where given. */
export function riskValues(profile: RiskProfile, own?: OwnRiskValues | null): RiskValues {
  const table = RISK_PROFILES[profile];
  if (!own) return { ...table };
  return {
    ...table,
    threshold: own.confidenceThreshold,
    maxPosition: own.maxPositionPercentage / 100,
    stopLoss: own.stopLossPercentage / 100,
  };
}

/** Settings, create-pool and reconfigure spell profiles in lowercase; agents capitalise them. */
export const PROFILE_OF: Record<UserRiskProfile, RiskProfile> = {
  conservative: 'Conservative',
  moderate: 'Moderate',
  aggressive: 'Aggressive',
};
