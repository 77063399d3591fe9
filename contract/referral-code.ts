/** The spelling of a referral code, without characters that look alike. */

/** Digits and capitals that are not taken for each other when read aloud or copied by hand. */
export const REFERRAL_ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';
export const REFERRAL_CODE_LENGTH = 8;
/**
 * As typed, scanned or linked: capitals, without what a hand adds; null where it cannot be one of
 * ours.
 */
export function readReferralCode(text: string): string | null {
  const code = text.toUpperCase().replace(/[\s-]/g, '');
  return code.length === REFERRAL_CODE_LENGTH &&
    [...code].every((char) => REFERRAL_ALPHABET.includes(char))
    ? code
    : null;
}
