/** The referral code a visitor came with, kept on this device until their account has it. */
import { fields, number, readJson, text } from '../../contract/readers.ts';
import { readReferralCode } from '../../contract/referral-code.ts';
import { REFERRAL_KEY } from '../identity/last-user.ts';

/** A link followed longer ago is forgotten. */
const KEEP_MS = 30 * 86_400_000;
const keptRecord = fields({ code: text, at: number });

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
    const kept = readJson(keptRecord, localStorage.getItem(REFERRAL_KEY));
    return kept !== null && now - kept.at < KEEP_MS ? readReferralCode(kept.code) : null;
  } catch {
    return null;
  }
}

export function forgetReferral(): void {
  localStorage.removeItem(REFERRAL_KEY);
}
