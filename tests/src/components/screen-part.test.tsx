// @vitest-environment happy-dom
/** Parts of a screen whose code comes late, or not at all. */
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { Component, Suspense, type ComponentType, type ReactNode } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { screenPart } from '../../../src/components/screen-part.tsx';

interface NamedProps {
  name: string;
}
const Named = ({ name }: NamedProps) => <p>Preview of {name}</p>;

class Screen extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };
  static getDerivedStateFromError = () => ({ failed: true });
  override render() {
    return this.state.failed ? <p>The screen failed</p> : this.props.children;
  }
}

/** Fails as often as told, as a file that is not on the device, then has the part. */
function failing(times: number, part: ComponentType<NamedProps> = Named) {
  let left = times;
  return vi.fn(() => {
    left -= 1;
    return left >= 0
      ? Promise.reject(new TypeError('Failed to fetch dynamically imported module'))
      : Promise.resolve({ default: part });
  });
}

async function draw(Part: ComponentType<NamedProps>): Promise<void> {
  await act(async () => {
    render(
      <Screen>
        <button>Start</button>
        <Suspense fallback={<p>Loading</p>}>
          <Part name="Harbour" />
        </Suspense>
      </Screen>,
    );
    await Promise.resolve();
  });
}

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

describe('a part of a screen', () => {
  it('is drawn with its properties once its code is there', async () => {
    await draw(screenPart(failing(0)));
    expect(screen.getByText('Preview of Harbour')).toBeTruthy();
  });

  it('that cannot be loaded says so, and the rest of the screen goes on', async () => {
    await draw(screenPart(failing(1)));
    expect(screen.getByText('This part could not be loaded.')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Start' })).toBeTruthy();
    expect(screen.queryByText('The screen failed')).toBeNull();
  });

  it('that would take the place of something leaves it there', async () => {
    const Part = screenPart(failing(1));
    await act(async () => {
      render(
        <Suspense fallback={<p>Loading</p>}>
          <Part name="Harbour" meanwhile={<p>Overview</p>} />
        </Suspense>,
      );
      await Promise.resolve();
    });
    expect(screen.getByText('Overview')).toBeTruthy();
    await act(async () => {
      fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
      await Promise.resolve();
    });
    expect(screen.getByText('Preview of Harbour')).toBeTruthy();
    expect(screen.queryByText('Overview')).toBeNull();
  });

  it('is asked for again on a press, and again when the network is back', async () => {
    const load = failing(2);
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    await draw(screenPart(load));
    expect(screen.getByText(/^This part is not on the device yet/)).toBeTruthy();
    await act(async () => {
      fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
      await Promise.resolve();
    });
    expect(screen.getByText(/^This part is not on the device yet/)).toBeTruthy();
    await act(async () => {
      dispatchEvent(new Event('online'));
      await Promise.resolve();
    });
    expect(screen.getByText('Preview of Harbour')).toBeTruthy();
    expect(load).toHaveBeenCalledTimes(3);
  });

  it('is asked for again by the next one who opens it, and only once it said that it is missing', async () => {
    const load = failing(1);
    const Part = screenPart(load, 'screen');
    await draw(Part);
    expect(screen.getByText('This screen could not be loaded.')).toBeTruthy();
    expect(load).toHaveBeenCalledTimes(1);
    cleanup();
    await draw(Part);
    expect(screen.getByText('Preview of Harbour')).toBeTruthy();
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('that failed when nobody waited for it any more is asked for by the next one, who sees no old failure', async () => {
    let fail: (error: Error) => void = () => undefined;
    const load = vi.fn(failing(0)).mockImplementationOnce(
      () =>
        new Promise((_resolve, reject) => {
          fail = reject;
        }),
    );
    const Part = screenPart(load, 'screen');
    await draw(Part);
    expect(screen.getByText('Loading')).toBeTruthy();
    cleanup();
    await act(async () => {
      fail(new TypeError('Failed to fetch'));
      await Promise.resolve();
    });
    const later = performance.now() + 6_000;
    vi.spyOn(performance, 'now').mockReturnValue(later);
    await draw(Part);
    expect(screen.getByText('Preview of Harbour')).toBeTruthy();
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('with a fault of its own is the screen’s failure, not a download to try again', async () => {
    await draw(
      screenPart(
        failing(0, () => {
          throw new Error('undefined is not a function');
        }),
      ),
    );
    expect(screen.getByText('The screen failed')).toBeTruthy();
  });
});
