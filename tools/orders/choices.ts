/** What may be asked for. Apart from the schema that checks it: every function knows the tool, one reads its input. */
export const statuses = ['open', 'paid', 'shipped', 'returned', 'cancelled'] as const;
export const defaultLimit = 100_000;
export const maxLimit = 5_000_000;
