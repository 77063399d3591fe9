/** Whether a text is an address of this app, judged as the browser will read it. */

/** Its path, query and hash as the browser has them; null where it leads elsewhere. */
export function ownAddress(text: string): { path: string; whole: string } | null {
  if (!text.startsWith('/') || !URL.canParse(text, location.origin)) return null;
  const { origin, pathname, search, hash } = new URL(text, location.origin);
  return origin === location.origin && !pathname.startsWith('//')
    ? { path: pathname, whole: `${pathname}${search}${hash}` }
    : null;
}
