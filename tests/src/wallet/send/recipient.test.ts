/** To whom is sent. */
import { expect, it } from 'vitest';
import { parseRecipient } from '../../../../src/wallet/send/recipient.ts';

const ANN = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const BOB = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

it('an address is taken in its checksummed form, also where it was written in one case', () => {
  expect(parseRecipient(` ${BOB} `, ANN)).toEqual({ to: BOB, isOwn: false });
  expect(parseRecipient(BOB.toLowerCase(), ANN)).toEqual({ to: BOB, isOwn: false });
  expect(parseRecipient(ANN.toLowerCase(), ANN)).toEqual({ to: ANN, isOwn: true });
});

it('one with a wrong letter, a wrong length, a name or nobody behind it is refused with what is wrong', () => {
  const wrong = BOB.replace('0C51812dc', '0C51812Dc');
  expect(parseRecipient(wrong, ANN)).toEqual({
    error: 'This address has a typing error: its checksum does not match. Copy it again.',
  });
  for (const typed of [BOB.slice(0, -1), `${BOB}0`, BOB.slice(2), 'ann.eth', '0xZZ'])
    expect(parseRecipient(typed, ANN), typed).toMatchObject({
      error: expect.stringContaining('0x and 40 digits') as string,
    });
  expect(parseRecipient('', ANN)).toEqual({ error: "Enter the recipient's address." });
  expect(parseRecipient(`0x${'0'.repeat(40)}`, ANN)).toMatchObject({
    error: expect.stringContaining('lost') as string,
  });
});
