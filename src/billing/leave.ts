/**
 * The one door out of the app, to a page where money is handled; refuses to judge the address,
 * which its caller has done.
 */
export function leaveFor(url: string): void {
  location.assign(url);
}
