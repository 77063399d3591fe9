// @vitest-environment happy-dom
/** The values over a chart: they stand still while prices tick. */
import { render } from '@testing-library/react';
import { expect, it } from 'vitest';
import { CandleLegend } from '../../../src/charts/CandleLegend.tsx';

it('has as many decimals in all four prices of a candle', () => {
  const { container } = render(
    <CandleLegend
      candle={[0, '34.2', '34.43', '34.0301', '34.2868', '10']}
      before={undefined}
      base="ETH"
      formingTo={null}
    />,
  );
  expect(container.textContent).toMatch(/O 34\.2000H 34\.4300L 34\.0301C 34\.2868/);
});
