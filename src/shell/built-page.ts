/**
 * What a person did on a page from the build before the app's code took it over: read while the
 * first screen is drawn, when that page is still there.
 */
interface EarlyFocus {
  name: string;
  start: number | null;
  end: number | null;
}

interface BuiltPage {
  /** The forms' texts by the fields' names. */
  typed: Readonly<Record<string, string>>;
  focus: EarlyFocus | null;
  /** The text of the button that waits for its code. */
  pressed: string | null;
}

let read: BuiltPage | null = null;

/** Null where the app began with a page of its own, and once the person has moved on. */
function builtPage(): BuiltPage | null {
  // While the build draws it, there is no page to take over.
  const mark = typeof document === 'undefined' ? null : document.getElementById('built-page');
  if (mark === null) return read;
  const fields = [...document.querySelectorAll<HTMLInputElement>('main input[name]')];
  const focused = fields.find((field) => field === document.activeElement);
  read = {
    typed: Object.fromEntries(fields.map(({ name, value }) => [name, value])),
    // A field for email addresses does not tell where its cursor is.
    focus:
      focused === undefined
        ? null
        : { name: focused.name, start: focused.selectionStart, end: focused.selectionEnd },
    pressed: mark.dataset.pressed ?? null,
  };
  return read;
}

export const tookOverPage = (): boolean => builtPage() !== null;

/** What was typed into the field of that name; empty if nothing was. */
export const typedEarly = (name: string): string => builtPage()?.typed[name] ?? '';

/** Lays the focus where it was. Called when the app's screen is in the page. */
export function refocus(): void {
  const focus = read?.focus ?? null;
  if (focus === null) return;
  const field = document.querySelector<HTMLInputElement>(
    `main input[name="${CSS.escape(focus.name)}"]`,
  );
  field?.focus({ preventScroll: true });
  if (focus.start !== null) field?.setSelectionRange(focus.start, focus.end);
}

/** Presses the button that was pressed early, now that it has its code. */
export function pressAgain(): void {
  const text = read?.pressed ?? null;
  if (text === null) return;
  const button = [...document.querySelectorAll<HTMLButtonElement>('main button')].find(
    (one) => one.textContent === text,
  );
  button?.click();
}

/** Another screen: nothing of the built page is about it. */
export function leaveBuiltPage(): void {
  read = null;
}
