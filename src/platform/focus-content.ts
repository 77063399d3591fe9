/** Puts the focus on the screen itself, where a reader goes on with its content. */
export const focusContent = (): void => {
  document.getElementById('content')?.focus({ preventScroll: true });
};
