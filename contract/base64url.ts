/** Reads base64url, in which keys and the parts of tokens are sent. */

/** @throws where the text is not base64. */
export const base64urlBytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
    character.charCodeAt(0),
  );
