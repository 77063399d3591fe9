/** Reads one part of an address. */

/** As it was meant, or as it stands where it cannot be decoded: anyone can type `/live/%`. */
export function decodedPart(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw;
  }
}
