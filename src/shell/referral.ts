/** The referral code a person came with, kept in this tab until they register; refuses anything that is not a code. */
const KEY = 'tradewind.referral';

export function keepReferral(code: string): void {
  const clean = code.replace(/[^A-Za-z0-9_-]/g, '').slice(0, 64);
  if (clean !== '') sessionStorage.setItem(KEY, clean);
}

export function keptReferral(): string | null {
  return sessionStorage.getItem(KEY);
}
