/**
 * Answers in a page without stylesheets what it answered before of the same kind of element;
 * refuses to where a stylesheet has a say.
 */

/**
 * Most of what finding by role costs is this question, asked of each element on the way, over and
 * over.
 */
if (typeof window !== 'undefined') {
  const ask = window.getComputedStyle.bind(window);
  const answered = new Map<string, CSSStyleDeclaration>();
  const marks = (element: Element): string =>
    `${element.tagName}${['hidden', 'open', 'type', 'popover', 'dir'].map((name) => element.getAttribute(name) ?? '-').join()}`;

  /**
   * Everything that the browser's own rules, the element's style and what it inherits depend on.
   */
  const kindOf = (element: Element): string => {
    let kind = `${marks(element)} ${element.getAttribute('style') ?? ''} in ${element.parentElement === null ? '' : marks(element.parentElement)}`;
    for (let above = element.parentElement; above !== null; above = above.parentElement) {
      const style = above.getAttribute('style');
      if (style !== null) kind += ` under ${style}`;
    }
    return kind;
  };

  window.getComputedStyle = (element, pseudo) => {
    if (
      (pseudo !== undefined && pseudo !== null) ||
      document.styleSheets.length > 0 ||
      !element.isConnected
    )
      return ask(element, pseudo);
    const kind = kindOf(element);
    const known = answered.get(kind) ?? ask(element);
    answered.set(kind, known);
    return known;
  };
}
