/** The referral code a visitor came with, kept on this device until their account has it. */
import * as z from 'zod/mini';
import { readReferralCode } from '../../contract/referral-code.ts';
import { REFERRAL_KEY } from '../identity/last-user.ts';

/** A link followed longer ago is forgotten. */
const KEEP_MS = 30 * 86_400_000;
const Kept = z.object({ code: z.string(), at: z.number() });

/** The first link counts, as on the server; after a month another one may. */
export function keepReferral(text: string, now = Date.now()): void {
  const code = readReferralCode(text);
  if (code === null || keptReferral(now) !== null) return;
  try {
    localStorage.setItem(REFERRAL_KEY, JSON.stringify({ code, at: now }));
  } catch {
    // No room or no storage: the code is lost, and nothing else.
  }
}

export function keptReferral(now = Date.now()): string | null {
  try {
    const kept = Kept.safeParse(JSON.parse(localStorage.getItem(REFERRAL_KEY) ?? 'null'));
    return kept.success && now - kept.data.at < KEEP_MS ? readReferralCode(kept.data.code) : null;
  } catch {
    return null;
  }
}

export function forgetReferral(): void {
  localStorage.removeItem(REFERRAL_KEY);
}
