/**
 * Messages on the signer's socket: four bytes of length, then JSON. A length that is too large ends
 * the connection before anything is read.
 */

/** Longest answer: thousands of fills. */
export const REPLY_BYTES_MAX = 32 * 1024 * 1024;
/** Longest request. */
export const ASK_BYTES_MAX = 64 * 1024;
const HEAD = 4;

export function frameOf(value: unknown): Uint8Array {
  const body = new TextEncoder().encode(JSON.stringify(value));
  const frame = new Uint8Array(HEAD + body.byteLength);
  new DataView(frame.buffer).setUint32(0, body.byteLength);
  frame.set(body, HEAD);
  return frame;
}

/** Puts together what arrives in pieces. */
export class FrameReader {
  private pieces: Uint8Array[] = [];
  private held = 0;
  /** Bytes that must be there before it is worth joining the pieces. */
  private needed = HEAD;

  constructor(private readonly bytesMax: number) {}

  /**
   * The messages that are complete now.
   * @throws RangeError when one is announced that is too long, SyntaxError when one is no JSON.
   */
  take(piece: Uint8Array): unknown[] {
    this.pieces.push(piece);
    this.held += piece.byteLength;
    const values: unknown[] = [];
    while (this.held >= this.needed) {
      const all = this.joined();
      const length = new DataView(all.buffer, all.byteOffset).getUint32(0);
      if (length > this.bytesMax) throw new RangeError('a message that is too long');
      this.needed = HEAD + length;
      if (all.byteLength < this.needed) break;
      values.push(JSON.parse(new TextDecoder().decode(all.subarray(HEAD, this.needed))));
      this.pieces = [all.subarray(this.needed)];
      this.held = all.byteLength - this.needed;
      this.needed = HEAD;
    }
    return values;
  }

  private joined(): Uint8Array {
    const all = new Uint8Array(this.held);
    let at = 0;
    for (const piece of this.pieces) {
      all.set(piece, at);
      at += piece.byteLength;
    }
    this.pieces = [all];
    return all;
  }
}
