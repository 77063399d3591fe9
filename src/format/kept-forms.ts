/**
 * How the reader's locale writes numbers, dates and times, as the device keeps it: at a start the
 * browser would take tens of milliseconds to say it again.
 */
import * as z from 'zod/mini';
import { readDateForm } from './date-form.ts';
import { readNumberForm, setNumberForm } from './number-marks.ts';
import { DATE_FORMATS, setDateForm, type DateFormat } from './times.ts';

const KEY = 'tradewind:forms';
const COUNT = z.int().check(z.minimum(1), z.maximum(99));
const TEXTS = z.array(z.string());
/** Null: of this one the browser is asked each time. */
const DATE = z.nullable(z.object({ parts: TEXTS, months: TEXTS, padded: TEXTS }));
const Forms = z.object({
  language: z.string(),
  number: z.object({
    decimal: z.string().check(z.minLength(1)),
    separator: z.string(),
    lastGroup: COUNT,
    otherGroups: COUNT,
    groupedFrom: COUNT,
  }),
  dates: z.object({ clock: DATE, date: DATE, moment: DATE }),
});
type Forms = z.infer<typeof Forms>;

function keptForms(): Forms | null {
  try {
    const kept = Forms.safeParse(JSON.parse(localStorage.getItem(KEY) ?? 'null'));
    return kept.success && kept.data.language === navigator.language ? kept.data : null;
  } catch {
    // Not ours, or storage is closed to us.
    return null;
  }
}

function writeBy({ number, dates }: Forms): void {
  setNumberForm(number);
  for (const name of Object.keys(DATE_FORMATS) as DateFormat[]) setDateForm(name, dates[name]);
}

/** Asks the browser, and keeps what it says. */
export function keepForms(): void {
  const { clock, date, moment } = DATE_FORMATS;
  const forms: Forms = {
    language: navigator.language,
    number: readNumberForm(),
    dates: {
      clock: readDateForm(clock),
      date: readDateForm(date),
      moment: readDateForm(moment),
    },
  };
  writeBy(forms);
  try {
    localStorage.setItem(KEY, JSON.stringify(forms));
  } catch {
    // The next start asks again.
  }
}

/**
 * Takes the forms kept for the reader's language. Where there are none the browser is asked with
 * the first number and date, and again, to keep them, once nobody looks: its locale can also differ
 * from its language.
 */
export function openForms(): void {
  const forms = keptForms();
  if (forms !== null) writeBy(forms);
  const whenHidden = (): void => {
    if (document.visibilityState !== 'hidden') return;
    document.removeEventListener('visibilitychange', whenHidden);
    keepForms();
  };
  document.addEventListener('visibilitychange', whenHidden);
}
