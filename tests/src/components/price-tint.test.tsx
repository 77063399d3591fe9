// @vitest-environment happy-dom
/** A price that changes says so for a moment. */
import { cleanup, render } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Price, TINT_MS, TINT_REST_MS } from '../../../src/components/Figures.tsx';

const animate = vi.fn();
const asks = (less: boolean) => {
  vi.stubGlobal('matchMedia', () => ({ matches: less }));
};

beforeEach(() => {
  Object.assign(HTMLElement.prototype, { animate });
  asks(false);
});
afterEach(() => {
  cleanup();
  animate.mockReset();
  Reflect.deleteProperty(HTMLElement.prototype, 'animate');
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe('a price', () => {
  it('is washed the way it went, in the same place, once a second at most, and not at its first value or an equal one', () => {
    const view = render(<Price value="10" />);
    const place = view.getByText('10.00');
    view.rerender(<Price value="10" />);
    expect(animate).not.toHaveBeenCalled();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(5_000);
    view.rerender(<Price value="9.5" />);
    expect(view.getByText('9.50')).toBe(place);
    expect(place.dataset.turned).toBe('down');
    clock.mockReturnValue(5_000 + TINT_REST_MS - 1);
    view.rerender(<Price value="9.6" />);
    expect(animate).toHaveBeenCalledTimes(1);
    clock.mockReturnValue(5_000 + TINT_REST_MS);
    view.rerender(<Price value="9.75" />);
    expect(place.dataset.turned).toBe('up');
    expect(
      animate.mock.calls.map(([, options]) => (options as KeyframeAnimationOptions).duration),
    ).toEqual([TINT_MS, TINT_MS]);
  });

  it('is not washed while the page is scrolled: that costs its frames, and nobody sees it', () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(10_000);
    const view = render(<Price value="10" />);
    view.rerender(<Price value="11" />);
    expect(animate).toHaveBeenCalledTimes(1);
    clock.mockReturnValue(20_000);
    document.dispatchEvent(new Event('scroll'));
    clock.mockReturnValue(20_100);
    view.rerender(<Price value="12" />);
    expect(animate).toHaveBeenCalledTimes(1);
    clock.mockReturnValue(22_000);
    view.rerender(<Price value="13" />);
    expect(animate).toHaveBeenCalledTimes(2);
  });

  it('stays still where less motion is asked for', () => {
    asks(true);
    const view = render(<Price value="10" />);
    view.rerender(<Price value="11" />);
    expect(animate).not.toHaveBeenCalled();
    expect(view.getByText('11.00').dataset.turned).toBeUndefined();
  });
});
