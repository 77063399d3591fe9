// @vitest-environment happy-dom
/** How numbers, dates and times are written, as the device keeps it for the next start. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { formatBy, readDateForm } from '../../../src/format/date-form.ts';
import { keepForms, openForms } from '../../../src/format/kept-forms.ts';
import { localDecimal, numberMarks } from '../../../src/format/number-marks.ts';
import { DATE_FORMATS, formatClock, formatMoment, setDateForm } from '../../../src/format/times.ts';
import { browserLocale, LOCALES, ownLocale } from '../../support/locale.ts';
import fc from '../../support/property.ts';

const NOON = new Date(2026, 10, 21, 12, 5, 9).getTime();
const hide = (): void => {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  document.dispatchEvent(new Event('visibilitychange'));
};

beforeEach(() => {
  localStorage.clear();
});
afterEach(() => {
  vi.restoreAllMocks();
  ownLocale();
  for (const name of ['clock', 'date', 'moment'] as const) setDateForm(name, null);
});

/** Dates as a browser of this locale writes them. */
function browserDates(locale: string): void {
  const { DateTimeFormat } = Intl;
  vi.spyOn(Intl, 'DateTimeFormat').mockImplementation(function dateTimeFormat(_asked, options) {
    return new DateTimeFormat(locale, options);
  });
}

describe('the kept number form', () => {
  it.each(LOCALES)('groups as the browser does in %s', (locale) => {
    const browser = new Intl.NumberFormat(locale, { numberingSystem: 'latn' });
    browserLocale(locale);
    keepForms();
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), (number) => {
        expect(numberMarks().group(String(number))).toBe(browser.format(number));
      }),
    );
  });
});

describe('the kept forms of dates', () => {
  it.each([...LOCALES, 'pl-PL', 'ja-JP', 'fi-FI', 'lt-LT'])(
    'write as the browser does in %s',
    (locale) => {
      const expected = Object.values(DATE_FORMATS).map(
        (options) => new Intl.DateTimeFormat(locale, options),
      );
      browserDates(locale);
      const forms = Object.values(DATE_FORMATS).map(readDateForm);
      fc.assert(
        fc.property(fc.integer({ min: 0, max: Date.UTC(2090, 0) }), (at) => {
          forms.forEach((form, index) => {
            if (form !== null) expect(formatBy(form, at)).toBe(expected[index]?.format(at));
          });
        }),
      );
      // A form for each of them, where days and months are written as here.
      expect(forms.filter((form) => form === null)).toEqual([]);
    },
  );

  it.each(['fa-IR', 'ar-EG', 'th-TH-u-ca-buddhist'])(
    'are left to the browser in %s, with another calendar or other digits',
    (locale) => {
      browserDates(locale);
      expect(readDateForm(DATE_FORMATS.moment)).toBeNull();
    },
  );
});

describe('a start', () => {
  it('asks the browser where nothing was kept, and keeps what it says once the page is hidden', () => {
    browserLocale('de-CH');
    openForms();
    expect(localStorage.length).toBe(0);
    expect(localDecimal('1234567.50')).toBe("1'234'567.50");
    hide();
    expect(localStorage.length).toBe(1);
  });

  it('writes by the kept forms without asking the browser', () => {
    browserLocale('de-CH');
    keepForms();
    const texts = () => [localDecimal('1234567.50'), formatClock(NOON), formatMoment(NOON)];
    const before = texts();
    const asked = [vi.mocked(Intl.NumberFormat), vi.spyOn(Intl, 'DateTimeFormat')];
    for (const one of asked) one.mockClear();
    openForms();
    expect(texts()).toEqual(before);
    for (const one of asked) expect(one).not.toHaveBeenCalled();
  });

  it('does not take what was kept in another language, or what does not read', () => {
    browserLocale('de-DE');
    keepForms();
    const language = vi.spyOn(navigator, 'language', 'get').mockReturnValue('fr-FR');
    browserLocale('fr-FR');
    openForms();
    expect(localDecimal('1234.5')).toBe('1\u202f234,5');
    language.mockRestore();
    localStorage.setItem('tradewind:forms', '{"language":"en-US","number":{"lastGroup":0}}');
    ownLocale();
    openForms();
    expect(localDecimal('1234.5')).toBe('1,234.5');
  });

  it('follows a locale that changed unseen, once the page is hidden', () => {
    browserLocale('en-US');
    keepForms();
    browserLocale('de-DE');
    openForms();
    expect(localDecimal('1234.5')).toBe('1,234.5');
    hide();
    expect(localDecimal('1234.5')).toBe('1.234,5');
  });
});
