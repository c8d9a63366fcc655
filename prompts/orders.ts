import { listsPrompt } from './lists.ts';

/** What the model is told about `list_orders`. */
export const ordersPrompt = `Lists orders, oldest first: id, order_number, customer, country (two letters), status (open, paid, shipped, returned or cancelled), amount (two decimals), items, paid, note, ordered_at. Filter by status, country, customer, or time; limit and offset page through what matches.

${listsPrompt}`;
