/** What the server says of a position whose sale at an exchange is recorded; the page says it by name. */
export const SALE_RECORDED =
  'The sale goes to the exchange. It is done when the exchange has confirmed it.';
