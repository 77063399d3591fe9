/**
 * How the reader's locale writes numbers, dates and times, as the device keeps it: at a start the
 * browser would take tens of milliseconds to say it again.
 */
import {
  fields,
  list,
  numberFrom,
  orNull,
  readJson,
  someText,
  text,
  whole,
  type Read,
} from '../../contract/readers.ts';
import { readDateForm } from './date-form.ts';
import { readNumberForm, setNumberForm } from './number-marks.ts';
import { DATE_FORMATS, setDateForm, type DateFormat } from './times.ts';

const KEY = 'tradewind:forms';
const count = numberFrom(1, 99, whole);
const texts = list(text);
/** Null: of this one the browser is asked each time. */
const date = orNull(fields({ parts: texts, months: texts, padded: texts }));
const formsRecord = fields({
  language: text,
  number: fields({
    decimal: someText,
    separator: text,
    lastGroup: count,
    otherGroups: count,
    groupedFrom: count,
  }),
  dates: fields({ clock: date, date, moment: date }),
});
type Forms = Read<typeof formsRecord>;

function keptForms(): Forms | null {
  try {
    const kept = readJson(formsRecord, localStorage.getItem(KEY));
    return kept?.language === navigator.language ? kept : null;
  } catch {
    // Storage is closed to us.
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
