/** Takes the focus to the first field that is wrong, which may stand a screen above the button. */
import { useEffect, type RefObject } from 'react';

const WRONG = '[aria-invalid="true"], [data-invalid]';

/** Acts each time issues are set, and once more in the step that shows them. */
export function useWrongField(
  form: RefObject<HTMLElement | null>,
  issues: Readonly<Record<string, string>>,
  step: string,
): void {
  useEffect(() => {
    if (Object.keys(issues).length === 0) return;
    const wrong = form.current?.querySelector<HTMLElement>(WRONG);
    if (wrong === null || wrong === undefined) return;
    // A field in a part that is folded away cannot take the focus.
    const folded = wrong.closest('details');
    if (folded !== null) folded.open = true;
    wrong.focus({ preventScroll: true });
    // With its label above and its error below.
    wrong.scrollIntoView({ block: 'center' });
  }, [form, issues, step]);
}
