/** Messages of the signer's socket, in whatever pieces they arrive. */
import { describe, expect, it } from 'vitest';
import { FrameReader, frameOf } from '../../contract/signer-frames.ts';
import fc from '../support/property.ts';

describe('a frame', () => {
  it('comes out as it went in, cut anywhere', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue(), { maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        (values, sizes) => {
          const bytes = Buffer.concat(values.map((value) => frameOf(value)));
          const reader = new FrameReader(1_000_000);
          const read: unknown[] = [];
          for (let at = 0, turn = 0; at < bytes.byteLength; turn += 1) {
            const size = sizes[turn % sizes.length] ?? 1;
            read.push(...reader.take(bytes.subarray(at, at + size)));
            at += size;
          }
          expect(read).toEqual(values.map((value): unknown => JSON.parse(JSON.stringify(value))));
        },
      ),
    );
  });

  it('that is longer than allowed is refused by its first four bytes', () => {
    const reader = new FrameReader(10);
    expect(reader.take(frameOf('12345678'))).toEqual(['12345678']);
    expect(() => reader.take(frameOf('123456789').subarray(0, 4))).toThrow(RangeError);
  });

  it('that is no JSON is refused', () => {
    expect(() => new FrameReader(10).take(new Uint8Array([0, 0, 0, 1, 0x7b]))).toThrow(SyntaxError);
  });
});
