/** Leaves the app for a page of the payment provider. The caller has checked the address. */
export function leaveFor(url: string): void {
  location.assign(url);
}
