/** The price of an alert as it is typed and as it stands in its field, in the reader's locale. */
import { afterEach, describe, expect, it } from 'vitest';
import { fieldText } from '../../../../src/format/typed-numbers.ts';
import {
  draftOf,
  newDraft,
  readDraft,
  shiftedPrice,
} from '../../../../src/screens/alerts/alert-draft.ts';
import { browserLocale, LOCALES, ownLocale } from '../../../support/locale.ts';

afterEach(ownLocale);

const priceOf = (typed: string): string | undefined => {
  const read = readDraft({ ...newDraft('BTC/USDT', null), price: typed }, true);
  return 'terms' in read && read.terms.condition.kind !== 'move'
    ? read.terms.condition.price
    : undefined;
};

describe('the price of an alert', () => {
  it('is read as the reader writes it: a German 89.962 is no 90 dollars', () => {
    expect(['65,000.50', '65000.5', '0,41'].map(priceOf)).toEqual(['65000.5', '65000.5', '0.41']);
    browserLocale('de-DE');
    expect(['89.962', '89.962,62', '0,41', '0.41'].map(priceOf)).toEqual([
      '89962',
      '89962.62',
      '0.41',
      '0.41',
    ]);
    expect(['1,000.5', 'abc', ''].map(priceOf)).toEqual([undefined, undefined, undefined]);
  });

  it.each(LOCALES)('comes back from its own field as it was, in %s', (locale) => {
    browserLocale(locale);
    for (const price of ['89.962', '89962.62', '0.00000123', '1234567']) {
      expect(priceOf(newDraft('BTC/USDT', price).price)).toBe(shiftedPrice(price, 1));
      const typed = { ...newDraft('BTC/USDT', null), price: fieldText(price) };
      const read = readDraft({ ...typed, kind: 'below' }, true);
      if ('errors' in read) throw new Error('It is not read');
      expect(priceOf(draftOf(read.terms, null).price)).toBe(price);
    }
  });
});

describe('a price so many percent away', () => {
  it.each([
    ['89.962', 1, '90.862'],
    ['89.962', -1, '89.062'],
    ['0.00000012', 1, '0.0000001212'],
    ['0.01', 1, '0.0101'],
    ['0.00001', -1, '0.0000099'],
    ['0.00000012', -1, '0.0000001188'],
    ['100', 5, '105'],
    ['64210.5', 10, '70631.55'],
  ])('of %s, %i percent away, is %s: never nearer than asked', (price, percent, shifted) => {
    expect(shiftedPrice(price, percent)).toBe(shifted);
  });
});
