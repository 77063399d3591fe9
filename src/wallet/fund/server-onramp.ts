/** The onramp through our server, which holds the provider's keys. */
import { api } from '../../api/api.ts';
import { buyPage, QUOTED_AMOUNT, rateOf, type Onramp } from './onramp-quotes.ts';

export const serverOnramp: Onramp = {
  async rate(asset, { country, currency, subdivision }) {
    return rateOf(
      await api.call('onrampQuote', {
        body: {
          purchaseCurrency: asset,
          purchaseNetwork: 'base',
          paymentCurrency: currency,
          paymentAmount: QUOTED_AMOUNT,
          paymentMethod: 'CARD',
          country,
          ...(subdivision === null ? {} : { subdivision }),
        },
      }),
    );
  },
  async currencies({ country, subdivision }) {
    return (
      await api.call('onrampOptions', {
        query: { country, ...(subdivision === null ? {} : { subdivision }) },
      })
    ).paymentCurrencies;
  },
  async page(request) {
    const { token } = await api.call('onrampSession', { body: { address: request.address } });
    return buyPage({ sessionToken: token }, request);
  },
};
