/** Stores the wallet connection in a cookie of this site. */

export interface CookieJar {
  cookie: string;
}

export interface CookieStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** A year: the connection is the person's to end. */
const MAX_AGE_S = 365 * 24 * 60 * 60;

/**
 * `secure` keeps the cookie on HTTPS connections. Values are escaped, so that none can end the
 * cookie early.
 */
export function cookieStorage(jar: CookieJar, secure: boolean): CookieStorage {
  const attributes = `path=/; samesite=Lax${secure ? '; secure' : ''}`;
  return {
    getItem(key) {
      const prefix = `${key}=`;
      const found = jar.cookie.split('; ').find((entry) => entry.startsWith(prefix));
      if (found === undefined) return null;
      try {
        return decodeURIComponent(found.slice(prefix.length));
      } catch {
        return null;
      }
    },
    setItem(key, value) {
      jar.cookie = `${key}=${encodeURIComponent(value)}; max-age=${MAX_AGE_S}; ${attributes}`;
    },
    removeItem(key) {
      jar.cookie = `${key}=; max-age=0; ${attributes}`;
    },
  };
}
